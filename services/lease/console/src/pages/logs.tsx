import {
  LateDialog,
  Loaded,
  localRows,
  Moment,
  NoRows,
  Page,
  Section,
  useUrlState,
  type VirtualColumn,
  VirtualTable,
} from "@frontdesk/ui";
import {
  Anchor,
  Badge,
  Button,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { PauseIcon, PlayIcon } from "@radix-ui/react-icons";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import { call } from "../api.ts";
import { Facts } from "../facts.tsx";
import { t } from "../words/logs.ts";

type Level = keyof typeof t.levels;
type LogLine = Awaited<ReturnType<typeof loadLines>>[number];
interface Line extends LogLine {
  readonly key: string;
}

const LOOK_EVERY_MS = 2_000;
const MAX_LINES = 500;

async function loadLines(level: Level, q: string, client: string, signal: AbortSignal) {
  const query = { level, limit: MAX_LINES, ...(q ? { q } : {}), ...(client ? { client } : {}) };
  return (await call("GET /logs", { query, signal })).items;
}

export function LogsPage() {
  const [least, setLeast] = useUrlState("level", "info");
  const [words, setWords] = useUrlState("q");
  const [named, setNamed] = useUrlState("client");
  const [isPaused, setPaused] = useState(false);
  const [opened, setOpened] = useState<Line>();
  const level = isLevel(least) ? least : "info";
  const q = words.trim();
  const client = named.trim();
  const lines = useQuery({
    queryKey: ["logs", level, q, client],
    queryFn: ({ signal }) => loadLines(level, q, client, signal),
    placeholderData: keepPreviousData,
    // Another filter is a question of its own, also while the rows stand still.
    ...(isPaused ? { staleTime: Number.POSITIVE_INFINITY } : { refetchInterval: LOOK_EVERY_MS }),
  });
  const columns = useMemo(() => columnsOf(setOpened), []);
  return (
    <Page title={t.logs} intro={t.intro} wide>
      <Section
        title={t.lines}
        {...(isPaused ? { about: t.paused } : {})}
        actions={
          <Button
            variant="default"
            leftSection={isPaused ? <PlayIcon aria-hidden /> : <PauseIcon aria-hidden />}
            onClick={() => setPaused(!isPaused)}
          >
            {isPaused ? t.goOn : t.pause}
          </Button>
        }
      >
        <SimpleGrid cols={{ base: 1, xs: 3 }} maw="48rem">
          <NativeSelect
            label={t.show}
            value={level}
            data={Object.entries(t.least).map(([value, label]) => ({ value, label }))}
            onChange={({ currentTarget: { value } }) => setLeast(value)}
          />
          <TextInput
            label={t.withTheWords}
            type="search"
            value={words}
            maxLength={200}
            onChange={({ currentTarget: { value } }) => setWords(value)}
          />
          <TextInput
            label={t.ofTheClient}
            type="search"
            placeholder={t.clientExample}
            dir="ltr"
            spellCheck={false}
            value={named}
            maxLength={200}
            onChange={({ currentTarget: { value } }) => setNamed(value)}
          />
        </SimpleGrid>
        <Loaded query={lines}>
          {(items) => (
            <VirtualTable
              caption={t.logs}
              columns={columns}
              rows={localRows(withKeys(items))}
              rowKey={({ key }) => key}
              onOpen={setOpened}
              density="compact"
              empty={<NoRows filtered={Boolean(words || named || level !== "debug")}>{t.nothingYet}</NoRows>}
            />
          )}
        </Loaded>
      </Section>
      <LateDialog
        opened={opened !== undefined}
        onClose={() => setOpened(undefined)}
        title={t.details}
        size="lg"
      >
        {opened && <Details line={opened} />}
      </LateDialog>
    </Page>
  );
}

const isLevel = (word: string): word is Level => Object.hasOwn(t.levels, word);

/** Lines have no number: their time tells them apart, and their place among those of the same time. */
function withKeys(items: readonly LogLine[]): Line[] {
  const seen = new Map<string, number>();
  return items
    .toReversed()
    .map((line) => {
      const nth = seen.get(line.time) ?? 0;
      seen.set(line.time, nth + 1);
      return { ...line, key: `${line.time} ${nth}` };
    })
    .toReversed();
}

/** What a line says besides its message: an error by what it says. */
const inWords = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return String(value);
  return "message" in value ? String(value.message) : JSON.stringify(value);
};

const columnsOf = (open: (line: Line) => void): VirtualColumn<Line>[] => [
  { id: "time", title: t.time, width: "9rem", cell: ({ time }) => <Moment time={time} /> },
  {
    id: "level",
    title: t.kind,
    width: "7rem",
    cell: ({ level }) => <Badge color={t.levels[level].color}>{t.levels[level].words}</Badge>,
  },
  {
    id: "message",
    title: t.whatHappened,
    width: "minmax(10rem, 1fr)",
    cell: ({ message, details }) => (
      <Text size="sm" style={{ overflowWrap: "anywhere" }} lineClamp={2}>
        <bdi>{message}</bdi>{" "}
        <Text span c="dimmed" inherit>
          <bdi>
            {Object.entries(details)
              .map(([name, value]) => `${name}: ${inWords(value)}`)
              .join(", ")}
          </bdi>
        </Text>
      </Text>
    ),
  },
  {
    id: "details",
    title: t.actions,
    width: "6rem",
    actions: true,
    cell: (line) => (
      <Button
        size="compact-xs"
        variant="subtle"
        onClick={() => open(line)}
        aria-label={t.detailsOf(line.message)}
      >
        {t.details}
      </Button>
    ),
  },
];

function Details({ line: { time, level, message, details } }: { line: Line }) {
  const { mac, ip } = details;
  return (
    <Stack gap="md">
      <Group gap="sm">
        <Badge color={t.levels[level].color}>{t.levels[level].words}</Badge>
        <Moment time={time} />
      </Group>
      <Text size="sm">
        <bdi>{message}</bdi>
      </Text>
      {Object.keys(details).length > 0 ? (
        <Facts of={Object.entries(details).map(([name, value]) => [name, inWords(value)])} />
      ) : (
        <Text size="sm" c="dimmed">
          {t.noDetails}
        </Text>
      )}
      {typeof mac === "string" && <Activity name="mac" of={mac} />}
      {typeof ip === "string" && <Activity name="ip" of={ip} />}
    </Stack>
  );
}

function Activity({ name, of }: { name: "mac" | "ip"; of: string }) {
  return (
    <Anchor component={Link} href={`/activity?${name}=${encodeURIComponent(of)}`} size="sm">
      {t.activityOf(of)}
    </Anchor>
  );
}
