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

interface Line {
  readonly key: string;
  readonly level: number;
  readonly time: string;
  readonly message: string;
  readonly rest: string;
}

const LEVELS: ReadonlyArray<[from: number, words: string, color: string]> = [
  [50, "Error", "red"],
  [40, "Warning", "clay"],
  [30, "Note", "pine"],
  [0, "Detail", "gray"],
];
const levelOf = (level: number) => LEVELS.find(([from]) => level >= from) ?? ([0, "Detail", "gray"] as const);
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
  { title: "Time", cell: ({ time }) => (time ? <Moment time={time} /> : "") },
  {
    title: "Kind",
    cell: ({ level }) => {
      const [, words, color] = levelOf(level);
      return <Badge color={color}>{words}</Badge>;
    },
  },
  {
    title: "What happened",
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
    <Page title="Log" intro="The newest 500 lines since the bridge was started, newest first.">
      <Section title="Lines">
        <Group grow maw="32rem">
          <NativeSelect
            label="Show"
            value={least}
            data={[
              { value: "0", label: "Everything" },
              { value: "40", label: "Warnings and errors" },
              { value: "50", label: "Errors" },
            ]}
            onChange={(event) => setLeast(event.currentTarget.value)}
          />
          <TextInput
            label="With the words"
            value={words}
            onChange={(event) => setWords(event.currentTarget.value)}
          />
        </Group>
        <Loaded query={logs}>
          {(lines) => (
            <DataTable
              caption="Log"
              columns={columns}
              rows={lines.map(read).filter(fits).toReversed()}
              rowKey={({ key }) => key}
              empty={
                lines.length === 0 ? (
                  <EmptyState title="Nothing logged yet" />
                ) : (
                  <EmptyState title="No line fits">Change or clear what is searched for.</EmptyState>
                )
              }
            />
          )}
        </Loaded>
      </Section>
    </Page>
  );
}
