import { Button, type ModalProps, Paper, Title } from "@mantine/core";
import { Suspense, use, useState } from "react";
import { onFirstAct } from "./first-act.ts";
import { IsShown } from "./is-shown.ts";
import { lazyPage } from "./lazy-page.ts";
import { NewRelease } from "./new-release.tsx";
import { t } from "./words/dialogs.ts";

const load = () => import("./dialog.tsx").then(({ Dialog }) => Dialog);
const Dialog = lazyPage<ModalProps>(load, PlainDialog);
onFirstAct(() => void load().catch(() => {}));

/**
 * A dialog that costs a page nothing before somebody does something: its files are not among the first. It is hidden
 * with the page it belongs to.
 */
export function LateDialog(props: ModalProps) {
  const isShown = use(IsShown);
  const [wanted, setWanted] = useState(false);
  if (props.opened && !wanted) setWanted(true);
  return wanted ? (
    <Suspense>
      <Dialog {...props} opened={props.opened && isShown} />
    </Suspense>
  ) : null;
}

/** In the place of a dialog whose files are gone: what it holds, a secret it may be, is shown in the page. */
function PlainDialog({ opened, title, children, onClose, withCloseButton = true }: ModalProps) {
  return opened ? (
    <Paper role="dialog" withBorder p="lg" m="lg" ref={(box) => box?.scrollIntoView()}>
      <Title order={2} fz="lg" mb="md">
        {title}
      </Title>
      {children}
      {withCloseButton && (
        <Button variant="default" mt="md" onClick={onClose}>
          {t.close}
        </Button>
      )}
      <NewRelease />
    </Paper>
  ) : null;
}
