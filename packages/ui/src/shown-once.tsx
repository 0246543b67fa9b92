import { Button, Group, Stack, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { CopyField } from "./copy-button.tsx";
import { LateDialog } from "./late-dialog.tsx";
import { useLeaveGuard } from "./use-leave-guard.ts";
import { t } from "./words/dialogs.ts";

/** A secret that is shown this one time: it cannot be clicked away by chance, nor left by Back or a reload unasked. */
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
      {secret !== undefined && <LeaveGuard what={what} />}
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

function LeaveGuard({ what }: { what: string }) {
  useLeaveGuard({ title: t.leaveWithout(what), body: t.itIsShownOnlyNow, action: t.leave, danger: true });
  return null;
}
