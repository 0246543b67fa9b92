import { askAnew, duration, filled, useAction } from "@frontdesk/ui";
import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { call, questions } from "./api.ts";
import { useIsAdmin } from "./rights.ts";
import { queryClient } from "./session.ts";
import { useTimeLeft } from "./time-left.ts";
import { t } from "./words/settings.ts";

const TICK_MS = 1_000;

/** All that shows the configuration or follows from it. */
export const CONFIG_CHANGES = [
  questions.config,
  questions.reservations,
  questions.engine,
  questions.dashboard,
  { queryKey: ["config-history"] },
  { queryKey: ["audit"] },
];

/** A configuration that is tried out, with the time it has left. */
export function ConfigTrial() {
  const { data } = useQuery(questions.config);
  return data?.trial ? <Trial key={data.trial.version} {...data.trial} /> : null;
}

/** The same, as the engine told it a moment ago. */
export function LiveTrial({ version, seconds_left }: { version: string; seconds_left: number }) {
  const ends = useMemo(() => performance.now() + seconds_left * 1000, [seconds_left]);
  return <Trial version={version} ends={ends} />;
}

/** Unless somebody keeps it in time, the engine takes it back by itself. */
function Trial({ version, ends }: { version: string; ends: number }) {
  const isAdmin = useIsAdmin();
  const left = useTimeLeft(ends);
  useEffect(() => {
    if (left > 0) return;
    // The engine takes it back within a moment; until it has, the page looks again.
    const timer = setInterval(() => askAnew(queryClient, ...CONFIG_CHANGES), TICK_MS);
    return () => clearInterval(timer);
  }, [left]);
  const confirm = useAction(() => call("POST /config/confirm", { json: { version } }), {
    changes: CONFIG_CHANGES,
    done: t.isConfirmed,
  });
  // What is shown, and no other one that somebody may try out by now.
  const takeBack = useAction(() => call("POST /config/take-back", { query: { version } }), {
    changes: CONFIG_CHANGES,
    done: t.isTakenBack,
  });
  return (
    <Alert color="clay" title={t.isOnTrial} role="alert">
      <Stack gap="sm">
        {/* Not read out each second with the alert. */}
        <Text size="sm" component="div" role="timer" aria-live="off">
          {left > 0 ? filled(t.takenBackIn, { left: <strong>{duration(left)}</strong> }) : t.takenBackNow}
        </Text>
        {isAdmin && (
          <Group gap="sm">
            <Button size="xs" {...confirm}>
              {t.confirm}
            </Button>
            <Button size="xs" variant="default" {...takeBack}>
              {t.takeBack}
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}
