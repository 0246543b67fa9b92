import { count, useAction } from "@frontdesk/ui";
import { Alert, Button, Group, List, Stack, Text } from "@mantine/core";
import { ExclamationTriangleIcon } from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { queryClient } from "../session.ts";
import { t } from "../words/todos.ts";
import type { Line } from "./adding.ts";
import { createKeptLines, keyOf, NONE, sendingIn } from "./kept-lines.ts";

const kept = createKeptLines(queryClient);
export const { begin: beginLines } = kept;

const useLines = (org: string): readonly Line[] => useTold(keyOf(org));
/** The lines that are on their way. */
export const useSending = (org: string): readonly Line[] => useTold(sendingIn(org));

const useTold = (queryKey: readonly string[]): readonly Line[] => {
  const { data = NONE } = useQuery<readonly Line[]>({
    queryKey,
    queryFn: () => NONE,
    // It is told by what has happened here: there is nobody to be asked.
    enabled: false,
  });
  return data;
};

/** Looks after what was not added, on whichever page somebody is. */
export function useKeptLines(org: string): void {
  const hasSome = useLines(org).length > 0;
  useEffect(() => kept.restore(org), [org]);
  useEffect(() => (hasSome ? kept.guard() : undefined), [hasSome]);
}

/** The lines that are still to be added, whatever is typed meanwhile. */
export function NotAdded(props: { org: string; onTryAgain: (lines: readonly Line[]) => Promise<void> }) {
  const { org, onTryAgain } = props;
  const lines = useLines(org);
  const tryAgain = useAction(() => onTryAgain(lines));
  if (lines.length === 0) return null;
  return (
    <Alert
      color="clay"
      icon={<ExclamationTriangleIcon />}
      role="status"
      title={count(lines.length, t.notAdded)}
    >
      <Stack gap="sm">
        <List size="sm">
          {lines.map(({ id, text }) => (
            <List.Item key={id} dir="auto">
              <Text size="sm" lineClamp={3} style={{ overflowWrap: "anywhere" }}>
                {text}
              </Text>
            </List.Item>
          ))}
        </List>
        <Group gap="xs">
          <Button size="xs" {...tryAgain}>
            {t.tryAgain}
          </Button>
          <Button size="xs" variant="default" onClick={() => kept.discard(org, lines)}>
            {t.discard}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
