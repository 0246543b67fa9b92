import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { ExclamationTriangleIcon } from "@radix-ui/react-icons";
import { type MouseEvent, type ReactNode, use } from "react";
import { ForgetRefusal } from "./action-form.tsx";
import { thenFocusForm } from "./focus-form.ts";
import { t } from "./words/dialogs.ts";

/** Somebody saved another version while this one was being edited: both are shown, and the person chooses. */
export function ChangedElsewhere(props: {
  what: string;
  /** What differs: FieldDifferences, or a DiffView. */
  difference: ReactNode;
  onTakeTheirs: () => void;
  onKeepMine: () => void;
}) {
  const forgetRefusal = use(ForgetRefusal);
  const choose = (act: () => void) => (event: MouseEvent<HTMLElement>) =>
    thenFocusForm(event.currentTarget, () => {
      act();
      forgetRefusal();
    });
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
          <Button variant="default" size="xs" onClick={choose(props.onTakeTheirs)}>
            {t.takeTheirs}
          </Button>
          <Button variant="default" size="xs" onClick={choose(props.onKeepMine)}>
            {t.keepMine}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
