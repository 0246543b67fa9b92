import { Modal, type ModalProps } from "@mantine/core";
import { useEffect, useState } from "react";
import { focusMenuOpener } from "./menu-opener.ts";
import { t } from "./words/dialogs.ts";

/** A dialog whose files have just arrived opens one step later, so that it knows what had the focus before it. */
export function Dialog({ opened, ...rest }: ModalProps) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (opened) focusMenuOpener();
    setShown(opened);
  }, [opened]);
  return (
    <Modal
      closeButtonProps={{ "aria-label": t.close }}
      styles={{ title: { minWidth: 0, overflowWrap: "anywhere" } }}
      {...rest}
      opened={shown}
    />
  );
}
