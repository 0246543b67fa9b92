import {
  EmptyState,
  exactTime,
  filled,
  Loaded,
  lazyPage,
  Moment,
  Section,
  useAction,
  useUrlState,
} from "@frontdesk/ui";
import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { call } from "./api.ts";
import { CONFIG_CHANGES } from "./config-trial.tsx";
import { withTypedWords } from "./typed-confirm.tsx";
import { t } from "./words/settings.ts";

const DiffView = lazyPage(() => import("@frontdesk/ui/diff-view").then((part) => part.DiffView));

const STEP = 20;
const history = () => call("GET /config/history");
type Row = Awaited<ReturnType<typeof history>>["items"][number];

/** What the engine ran before, to compare with and to bring back. */
export function ConfigHistory({ text, version }: { text: string; version: string }) {
  const versions = useQuery({ queryKey: ["config-history"], queryFn: history });
  const [shown, setShown] = useState(STEP);
  const [named] = useUrlState("version");
  return (
    <Section title={t.versions} about={t.aboutVersions}>
      <Loaded query={versions}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={t.noVersions} />
          ) : (
            <Stack gap="md">
              {items.slice(0, Math.max(shown, placeOf(items, named) + 1)).map((row) => (
                <Version
                  key={row.id}
                  row={row}
                  text={text}
                  version={version}
                  isNamed={row.version === named}
                />
              ))}
              {items.length > shown && (
                <Group>
                  <Button size="xs" variant="default" onClick={() => setShown(shown + STEP)}>
                    {t.showOlder}
                  </Button>
                </Group>
              )}
            </Stack>
          )
        }
      </Loaded>
    </Section>
  );
}

const placeOf = (items: readonly Row[], named: string) => items.findIndex(({ version }) => version === named);

function Version(props: { row: Row; text: string; version: string; isNamed: boolean }) {
  const { row, text, version, isNamed } = props;
  const [open, setOpen] = useState(isNamed);
  const when = exactTime(row.at);
  const bringBack = useAction(
    () =>
      withTypedWords((query) =>
        call("POST /config/rollback", { json: { id: row.id }, ifMatch: `"${version}"`, query }),
      ),
    {
      ask: { title: t.askToBringBack, body: t.theEngineRunsIt, action: t.bringBack },
      changes: CONFIG_CHANGES,
      done: t.isBack,
    },
  );
  const isNow = row.version === version;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Group gap="xs">
          <Text size="sm" component="div">
            {filled(t.versionBy, { when: <Moment time={row.at} />, actor: <bdi>{row.actor}</bdi> })}
          </Text>
          {isNow && (
            <Badge size="sm" color="pine">
              {t.now}
            </Badge>
          )}
        </Group>
        {!isNow && (
          <Group gap="xs">
            <Button
              size="xs"
              variant="default"
              aria-expanded={open}
              aria-label={t.compareVersion(when)}
              onClick={() => setOpen(!open)}
            >
              {t.compare}
            </Button>
            <Button size="xs" variant="default" aria-label={t.bringBackVersion(when)} {...bringBack}>
              {t.bringBack}
            </Button>
          </Group>
        )}
      </Group>
      {open && !isNow && <Difference id={row.id} text={text} />}
    </Stack>
  );
}

function Difference({ id, text }: { id: number; text: string }) {
  const earlier = useQuery({
    queryKey: ["config-version", id],
    queryFn: () => call("GET /config/history/{id}", { path: { id: String(id) } }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded query={earlier}>
      {(version) => (
        <Suspense>
          <DiffView label={t.whatBringingBackChanges} before={text} after={version.text} />
        </Suspense>
      )}
    </Loaded>
  );
}
