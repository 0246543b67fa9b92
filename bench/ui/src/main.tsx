import {
  createApi,
  createQueryClient,
  Moment,
  NoRows,
  Page,
  type RowPage,
  Section,
  startConsole,
  useLive,
  useServerRows,
  useUrlSort,
  useUrlState,
  type VirtualColumn,
  VirtualTable,
} from "@frontdesk/ui";
import { TextInput } from "@mantine/core";
import { useState } from "react";
import type { BenchRow } from "../rows.ts";

interface Asked {
  readonly q: string;
  readonly sort: string;
  readonly cursor: string;
}
const api = createApi<{ "GET /rows": { query: Asked; reply: RowPage<BenchRow> } }>({ words: {} });

const COLUMNS: ReadonlyArray<VirtualColumn<BenchRow>> = [
  { id: "ip", title: "Address", sortable: true, cell: ({ ip }) => ip },
  { id: "name", title: "Name", sortable: true, cell: ({ name }) => <bdi>{name}</bdi> },
  { id: "state", title: "State", cell: ({ state }) => state },
  { id: "seen", title: "Last seen", cell: ({ seen }) => <Moment time={seen} /> },
];

function Rows() {
  const [words, setWords] = useUrlState("q");
  const [sort, setSort] = useUrlSort({ column: "ip", descending: false });
  const [fresh, setFresh] = useState<ReadonlyMap<string, BenchRow>>(new Map());
  const source = useServerRows<BenchRow>(["rows", words, sort], ({ cursor, signal }) => {
    const query = { q: words, sort: sort.descending ? "-ip" : "ip", cursor: cursor ?? "" };
    return api.call("GET /rows", { query, signal });
  });
  useLive({
    url: "/live",
    paused: !new URLSearchParams(window.location.search).has("live"),
    on: {
      row: (row: BenchRow) => setFresh((before) => new Map([...before, [row.ip, row] as const].slice(-500))),
    },
    onReopen: source.reload,
  });
  const rows = { ...source, rows: source.rows.map((row) => fresh.get(row.ip) ?? row) };
  return (
    <Page title="Rows" wide>
      <Section title="All of them">
        <TextInput
          label="Search"
          value={words}
          onChange={({ currentTarget: { value } }) => setWords(value)}
        />
        <VirtualTable
          caption="Rows"
          columns={COLUMNS}
          rows={rows}
          rowKey={({ ip }) => ip}
          sort={sort}
          onSort={setSort}
          isFresh={({ ip }) => fresh.has(ip)}
          empty={<NoRows filtered={words !== ""} />}
        />
      </Section>
    </Page>
  );
}

startConsole(<Rows />, createQueryClient());
