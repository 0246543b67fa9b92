import {
  type Column,
  count,
  DataTable,
  FileDrop,
  Loaded,
  listed,
  tellDone,
  tellFailure,
  useAction,
} from "@frontdesk/ui";
import { Badge, Button, Code, Group, List, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "./api.ts";
import { CONFIG_CHANGES } from "./config-trial.tsx";
import { changed } from "./session.ts";
import { t } from "./words/reservations.ts";

const MAX_BYTES = 4_000_000;
const MAX_SHOWN = 100;
const ACTIONS = ["conflict", "add", "change", "same"] as const;
const COLORS = { conflict: "red", add: "pine", change: "clay", same: "gray" } as const;

interface Chosen {
  readonly name: string;
  readonly text: string;
}
type Preview = Awaited<ReturnType<typeof askPreview>>;
type Row = Preview["items"][number];

const askPreview = (text: string) => call("POST /reservations/preview", { text });

/** A file is chosen, what it would do is shown, and it is taken whole or not at all. */
export function ReservationImport({ done }: { done: () => void }) {
  const [file, setFile] = useState<Chosen>();
  const take = (chosen: File) => {
    void textOf(chosen).then((text) => setFile({ name: chosen.name, text }), tellFailure);
  };
  if (file) return <FilePreview file={file} drop={() => setFile(undefined)} done={done} />;
  return (
    <FileDrop
      action={t.chooseFile}
      hint={t.aboutFile}
      accept=".csv,text/csv"
      maxBytes={MAX_BYTES}
      onFile={take}
    />
  );
}

/** Letters of another encoding would be lost without a word. */
async function textOf(chosen: File): Promise<string> {
  const bytes = await chosen.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error(t.notUtf8);
  }
}

function FilePreview({ file, drop, done }: { file: Chosen; drop: () => void; done: () => void }) {
  const preview = useQuery({
    // With the configuration: what somebody else changes there may change what the file does.
    queryKey: ["reservations", "preview", file.text],
    queryFn: () => askPreview(file.text),
    gcTime: 0,
    retry: false,
  });
  return (
    <Stack>
      <Loaded query={preview}>{(found) => <Previewed file={file} preview={found} done={done} />}</Loaded>
      <Group>
        <Button variant="default" onClick={drop}>
          {t.anotherFile}
        </Button>
      </Group>
    </Stack>
  );
}

function Previewed({ file, preview, done }: { file: Chosen; preview: Preview; done: () => void }) {
  const { items, problems, version } = preview;
  const counts = ACTIONS.map(
    (action) => [action, items.filter((row) => row.action === action).length] as const,
  );
  const countOf = (wanted: Row["action"]) => counts.find(([action]) => action === wanted)?.[1] ?? 0;
  const words = counts
    .filter(([, many]) => many > 0)
    .map(([action, many]) => count(many, t.importCounts[action]));
  const differing = countOf("add") + countOf("change");
  const isBlocked = countOf("conflict") > 0 || problems.length > 0;
  const take = useAction(
    () => call("POST /reservations/import", { text: file.text, ifMatch: `"${version}"` }),
    {
      after: async ({ added, changed: many }) => {
        await changed(...CONFIG_CHANGES);
        const told = [count(added, t.added), count(many, t.changed)];
        tellDone(t.isImported(listed(told)));
        done();
      },
    },
  );
  // What is wrong comes first; the rest as in the file.
  const shown = ACTIONS.flatMap((action) => items.filter((row) => row.action === action)).slice(0, MAX_SHOWN);
  return (
    <Stack>
      <Text size="sm" fw={550} role="status">
        {items.length === 0 ? t.noRows : t.importSummary(listed(words))}
      </Text>
      {problems.length > 0 && (
        <List size="sm">
          {problems.map(({ line, column, message }) => (
            <List.Item key={`${line} ${column} ${message}`}>{message}</List.Item>
          ))}
        </List>
      )}
      {items.length > 0 && (
        <DataTable
          caption={t.rowsOf(file.name)}
          columns={COLUMNS}
          rows={shown}
          rowKey={({ line }) => String(line)}
        />
      )}
      {items.length > MAX_SHOWN && <Text size="sm">{count(items.length - MAX_SHOWN, t.moreRows)}</Text>}
      {isBlocked && <Text size="sm">{t.mendFirst}</Text>}
      {!isBlocked && items.length > 0 && differing === 0 && <Text size="sm">{t.nothingToImport}</Text>}
      {!isBlocked && differing > 0 && (
        <Group>
          <Button {...take}>{count(differing, t.importNow)}</Button>
        </Group>
      )}
    </Stack>
  );
}

function detailsOf({ problem, columns }: Row): string {
  if (!problem) return columns.length > 0 ? t.changesColumns(listed(columns)) : "";
  const [column] = columns;
  return column ? t.inColumn(t.importProblems[problem], column) : t.importProblems[problem];
}

const COLUMNS: Column<Row>[] = [
  { title: t.line, cell: ({ line }) => t.lineNumber(line) },
  {
    title: t.ip,
    cell: ({ ip, hostname }) => (
      <Stack gap={0} align="flex-start">
        <Code>
          <bdi>{ip}</bdi>
        </Code>
        {hostname && (
          <Text size="sm">
            <bdi>{hostname}</bdi>
          </Text>
        )}
      </Stack>
    ),
  },
  {
    title: t.effect,
    cell: ({ action }) => <Badge color={COLORS[action]}>{t.importActions[action]}</Badge>,
  },
  { title: t.details, cell: detailsOf },
];
