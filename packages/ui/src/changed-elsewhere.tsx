import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { ExclamationTriangleIcon } from "@radix-ui/react-icons";
import type { ReactNode } from "react";

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
      title={`${props.what} was changed elsewhere`}
    >
      <Stack gap="sm">
        <Text size="sm">
          Somebody saved it while you were editing. Nothing of yours is saved yet: take theirs, or keep yours
          and save it over theirs.
        </Text>
        {props.difference}
        <Group gap="sm">
          <Button variant="default" size="xs" onClick={props.onTakeTheirs}>
            Take theirs
          </Button>
          <Button variant="default" size="xs" onClick={props.onKeepMine}>
            Keep mine
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
