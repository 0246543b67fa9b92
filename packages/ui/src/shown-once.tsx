import { Button, Group, Stack, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { CopyField } from "./copy-button.tsx";
import { LateDialog } from "./late-dialog.tsx";
import { t } from "./words/dialogs.ts";

/** A secret that is shown this one time: it cannot be clicked away by chance. */
export function ShownOnce(props: {
  title: string;
  about: ReactNode;
  /** What it is, completing "Copy …". */
  what: string;
  secret: string | undefined;
  onClose: () => void;
}) {
  const { title, about, what, secret, onClose } = props;
  const [last, setLast] = useState(secret);
  if (secret !== undefined && secret !== last) setLast(secret);
  return (
    <LateDialog
      opened={secret !== undefined}
      onClose={onClose}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Text size="sm" component="div">
          {about}
        </Text>
        <CopyField value={secret ?? last ?? ""} what={what} />
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {t.iHaveKeptIt}
          </Button>
        </Group>
      </Stack>
    </LateDialog>
  );
}
