import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { ExclamationTriangleIcon } from "@radix-ui/react-icons";
import { CopyButton } from "./copy-button.tsx";
import { t } from "./words/dialogs.ts";

/** What somebody edits was removed meanwhile: what was typed stays until the person has decided. */
export function RemovedElsewhere(props: {
  what: string;
  /** What was typed, as text to take elsewhere. */
  typed: string;
  /** Opens the form with what was typed, where it is not open. */
  onOpen?: () => void;
  onDiscard: () => void;
}) {
  const { what, typed, onOpen, onDiscard } = props;
  return (
    <Alert color="clay" icon={<ExclamationTriangleIcon />} role="alert" title={t.wasRemovedElsewhere(what)}>
      <Stack gap="sm">
        <Text size="sm">{t.whatYouTypedIsStillHere}</Text>
        <Group gap="sm">
          {onOpen && (
            <Button variant="default" onClick={onOpen}>
              {t.openWhatITyped}
            </Button>
          )}
          <CopyButton value={typed} what={t.whatITyped} words={t.copyWhatITyped} />
          <Button variant="default" onClick={onDiscard}>
            {t.discardWhatITyped}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
