import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { ExclamationTriangleIcon } from "@radix-ui/react-icons";
import type { ReactNode } from "react";
import { t } from "./words/dialogs.ts";

/** Somebody saved another version while this one was being edited: both are shown, and the person chooses. */
export function ChangedElsewhere(props: {
  what: string;
  /** What differs: FieldDifferences, or a DiffView. */
  difference: ReactNode;
  onTakeTheirs: () => void;
  onKeepMine: () => void;
}) {
  return (
    <Alert
      color="clay"
      icon={<ExclamationTriangleIcon />}
      role="alert"
      title={t.wasChangedElsewhere(props.what)}
    >
      <Stack gap="sm">
        <Text size="sm">{t.somebodySavedItWhileYouWere}</Text>
        {props.difference}
        <Group gap="sm">
          <Button variant="default" size="xs" onClick={props.onTakeTheirs}>
            {t.takeTheirs}
          </Button>
          <Button variant="default" size="xs" onClick={props.onKeepMine}>
            {t.keepMine}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
