import { compareAll, type Differences, reconcileAll } from "@frontdesk/lease-control-api/reconcile-run";
import { type Column, DataTable, EmptyState, Section, useAction, wholeNumber } from "@frontdesk/ui";
import { Alert, Badge, Button, Code, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { call } from "./api.ts";
import { t } from "./words/names-in-dns.ts";

/** Rows that are shown; the rest is counted. */
const MAX_SHOWN = 100;

interface Row {
  readonly isStale: boolean;
  readonly name: string;
  readonly address: string;
  readonly why: string;
}

/** What DNS has beside what it shall have: compared when somebody asks for it, shown, then put right. */
export function NamesInDns() {
  const [found, setFound] = useState<Differences>();
  const [runs, setRuns] = useState(0);
  const [progress, setProgress] = useState("");
  const compare = useAction(
    () =>
      compareAll(
        (cursor) => call("GET /ddns/differences", { query: cursor ? { cursor } : {} }),
        (place) => setProgress(t.comparedUpTo(place)),
      ).finally(() => setProgress("")),
    {
      after: (differences) => {
        setFound(differences);
        setRuns(runs + 1);
      },
    },
  );
  return (
    <Section title={t.names} about={t.about}>
      <Stack>
        {found && (
          <Found key={runs} found={found} setProgress={setProgress} forget={() => setFound(undefined)} />
        )}
        <Group>
          <Button variant="default" {...compare}>
            {t.compare}
          </Button>
          <Text size="sm" role="status">
            {progress}
          </Text>
        </Group>
      </Stack>
    </Section>
  );
}

function Found(props: { found: Differences; setProgress: (words: string) => void; forget: () => void }) {
  const { found, setProgress, forget } = props;
  const [left, setLeft] = useState<ReadonlyArray<{ address: string; reason: string }>>([]);
  const rows = rowsOf(found);
  const putRight = useAction(
    () =>
      reconcileAll(
        (json) => call("POST /ddns/reconcile", { json }),
        found,
        (count) => setProgress(t.removedSoFar(wholeNumber(count))),
      ).finally(() => setProgress("")),
    {
      ask: { title: t.askTitle, body: t.askBody, action: t.change, danger: found.stale.length > 0 },
      done: ({ removed, restored }) => t.isDone(wholeNumber(removed), wholeNumber(restored)),
      changes: [{ queryKey: ["audit"] }],
      after: (done) => (done.left.length > 0 ? setLeft(done.left) : forget()),
    },
  );
  if (rows.length === 0) return <Text size="sm">{t.same}</Text>;
  return (
    <>
      <DataTable
        caption={t.names}
        columns={COLUMNS}
        rows={rows.slice(0, MAX_SHOWN)}
        rowKey={({ name, address, why }) => `${why} ${name} ${address}`}
        empty={<EmptyState title={t.same} />}
      />
      {rows.length > MAX_SHOWN && <Text size="sm">{t.more(wholeNumber(rows.length - MAX_SHOWN))}</Text>}
      {left.length > 0 && (
        <Alert color="clay" title={t.left}>
          {left.slice(0, MAX_SHOWN).map(({ address, reason }) => (
            <Text key={address} size="sm">
              <Code>{address}</Code> <bdi>{reason}</bdi>
            </Text>
          ))}
        </Alert>
      )}
      <Group>
        <Button {...putRight}>{t.putRight}</Button>
      </Group>
    </>
  );
}

const rowsOf = ({ missing, stale }: Differences): Row[] => [
  ...stale.map(({ name, address }) => ({ isStale: true, name, address, why: t.nobodyHasIt })),
  ...missing.map(({ name, address, record }) => ({
    isStale: false,
    name,
    address,
    why: record === "forward" ? t.missingForward : t.missingReverse,
  })),
];

const COLUMNS: Column<Row>[] = [
  {
    title: t.toDo,
    cell: ({ isStale }) => <Badge color={isStale ? "clay" : "pine"}>{isStale ? t.remove : t.add}</Badge>,
  },
  { title: t.name, cell: ({ name }) => <bdi style={{ overflowWrap: "anywhere" }}>{name}</bdi> },
  { title: t.address, cell: ({ address }) => <Code>{address}</Code> },
  { title: t.why, cell: ({ why }) => why },
];
