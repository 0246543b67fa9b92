import {
  type Column,
  DataTable,
  EmptyState,
  Loaded,
  Moment,
  Page,
  Section,
  useUrlState,
} from "@frontdesk/ui";
import { Badge, Group, NativeSelect, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { questions } from "../api.ts";
import { t } from "../words/log.ts";

interface Line {
  readonly key: string;
  readonly level: number;
  readonly time: string;
  readonly message: string;
  readonly rest: string;
}

const LEVELS: ReadonlyArray<[from: number, words: string, color: string]> = [
  [50, t.error, "red"],
  [40, t.warning, "clay"],
  [30, t.note, "pine"],
  [0, t.detail, "gray"],
];
const levelOf = (level: number) => LEVELS.find(([from]) => level >= from) ?? ([0, t.detail, "gray"] as const);
const DULL = new Set(["level", "time", "msg", "pid", "hostname", "service", "name"]);

function read(text: string, n: number): Line {
  try {
    const line = JSON.parse(text) as Record<string, unknown>;
    const rest = Object.entries(line)
      .filter(([key]) => !DULL.has(key))
      .map(([key, value]) => `${key}: ${describe(value)}`)
      .join(", ");
    return {
      key: `${n} ${text.length}`,
      level: Number(line.level) || 30,
      time: new Date(line.time as string | number).toISOString(),
      message: String(line.msg ?? ""),
      rest,
    };
  } catch {
    return { key: String(n), level: 30, time: "", message: text, rest: "" };
  }
}

/** An error is told by what it says; where it was thrown is for the log file. */
function describe(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  return "message" in value ? String(value.message) : JSON.stringify(value);
}

const columns: Column<Line>[] = [
  { title: t.time, cell: ({ time }) => (time ? <Moment time={time} /> : "") },
  {
    title: t.kind,
    cell: ({ level }) => {
      const [, words, color] = levelOf(level);
      return <Badge color={color}>{words}</Badge>;
    },
  },
  {
    title: t.whatHappened,
    cell: ({ message, rest }) => (
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        {message}
        {rest && (
          <Text span c="dimmed" inherit>
            {" "}
            {rest}
          </Text>
        )}
      </Text>
    ),
  },
];

export function LogPage() {
  const logs = useQuery(questions.logs);
  const [least, setLeast] = useUrlState("level", "0");
  const [words, setWords] = useUrlState("q");
  const fits = (line: Line) =>
    line.level >= Number(least) &&
    `${line.message} ${line.rest}`.toLowerCase().includes(words.trim().toLowerCase());
  return (
    <Page title={t.log} intro={t.theNewest500LinesSinceThe}>
      <Section title={t.lines}>
        <Group grow maw="32rem">
          <NativeSelect
            label={t.show}
            value={least}
            data={[
              { value: "0", label: t.everything },
              { value: "40", label: t.warningsAndErrors },
              { value: "50", label: t.errors },
            ]}
            onChange={(event) => setLeast(event.currentTarget.value)}
          />
          <TextInput
            label={t.withTheWords}
            value={words}
            onChange={(event) => setWords(event.currentTarget.value)}
          />
        </Group>
        <Loaded query={logs}>
          {(lines) => (
            <DataTable
              caption={t.log}
              columns={columns}
              rows={lines.map(read).filter(fits).toReversed()}
              rowKey={({ key }) => key}
              empty={
                lines.length === 0 ? (
                  <EmptyState title={t.nothingLoggedYet} />
                ) : (
                  <EmptyState title={t.noLineFits}>{t.changeOrClearWhatIsSearched}</EmptyState>
                )
              }
            />
          )}
        </Loaded>
      </Section>
    </Page>
  );
}
