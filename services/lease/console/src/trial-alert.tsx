import { duration, filled, useAction, useNow } from "@frontdesk/ui";
import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { call, type EngineView, questions } from "./api.ts";
import { useIsAdmin } from "./rights.ts";
import { t } from "./words/dashboard.ts";

type Trial = NonNullable<NonNullable<EngineView["status"]>["config"]["trial"]>;
const CHANGES = [questions.engine, questions.config, questions.dashboard];

/** A change of the configuration that is taken back by itself unless somebody keeps it. */
export function TrialAlert({ trial }: { trial: Trial }) {
  const isAdmin = useIsAdmin();
  const left = Date.parse(trial.ends_at) - useNow();
  const keep = useAction(() => call("POST /config/confirm", { json: { version: trial.version } }), {
    changes: CHANGES,
    done: t.itIsKept,
  });
  const takeBack = useAction(() => call("POST /config/take-back"), {
    changes: CHANGES,
    done: t.itIsTakenBack,
  });
  return (
    <Alert color="clay" title={t.aTrialRuns}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{filled(t.takenBack, { when: left > 0 ? t.in(duration(left)) : t.now })}</Text>
        {isAdmin && (
          <Group gap="sm">
            <Button size="xs" {...keep}>
              {t.keepIt}
            </Button>
            <Button size="xs" variant="default" {...takeBack}>
              {t.takeItBack}
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}
