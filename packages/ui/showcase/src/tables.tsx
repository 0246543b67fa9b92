import {
  DataTable,
  Moment,
  NoRows,
  Page,
  type RowPage,
  Section,
  tellDone,
  useServerRows,
  useUrlSort,
  useUrlState,
  type VirtualColumn,
  VirtualTable,
} from "@frontdesk/ui";
import { Badge, Button, Group, NativeSelect, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { type Device, device, NAMES } from "./content.ts";

const HOW_MANY = 100_000;
const PAGE = 200;

const COLUMNS: ReadonlyArray<VirtualColumn<Device>> = [
  {
    id: "name",
    title: "Name",
    sortable: true,
    width: "minmax(10rem, 2fr)",
    cell: ({ name }) => (
      <Text size="sm" fw={550} dir="auto">
        {name || "(no name)"}
      </Text>
    ),
  },
  { id: "address", title: "Address", sortable: true, width: "8rem", cell: ({ address }) => address },
  {
    id: "state",
    title: "State",
    width: "6rem",
    cell: ({ state }) => <Badge color={state === "declined" ? "clay" : "pine"}>{state}</Badge>,
  },
  {
    id: "seen",
    title: "Last seen",
    sortable: true,
    width: "10rem",
    cell: ({ seen }) => <Moment time={seen} />,
  },
];

/** Stands for a server: it filters, sorts and pages. */
async function load(asked: {
  words: string;
  descending: boolean;
  cursor: string | null;
}): Promise<RowPage<Device>> {
  const from = Number(asked.cursor ?? 0);
  const all = asked.words
    ? Array.from({ length: HOW_MANY }, (_, index) => device(index)).filter(({ name, address }) =>
        `${name} ${address}`.toLowerCase().includes(asked.words.toLowerCase()),
      )
    : undefined;
  const total = all?.length ?? HOW_MANY;
  const at = (index: number) => (asked.descending ? total - 1 - index : index);
  const length = Math.min(PAGE, total - from);
  const items = Array.from({ length }, (_, index) => all?.[at(from + index)] ?? device(at(from + index)));
  return { items, total, next_cursor: from + length < total ? String(from + length) : null };
}

export function TablePage() {
  const [words, setWords] = useUrlState("q");
  const [density, setDensity] = useUrlState("density", "comfortable");
  const [sort, setSort] = useUrlSort({ column: "address", descending: false });
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const rows = useServerRows<Device>(["devices", words, sort], ({ cursor }) =>
    load({ words, descending: sort.descending, cursor }),
  );
  return (
    <Page title="Tables" intro="A hundred thousand rows, of which only what is seen is drawn." wide>
      <Section title="Few rows">
        <DataTable
          caption="People"
          columns={[
            { title: "Name", cell: (name: string) => <span dir="auto">{name || "(no name)"}</span> },
            { title: "Letters", cell: (name: string) => [...name].length },
          ]}
          rows={NAMES}
          rowKey={(name) => name}
        />
      </Section>
      <Section title="Many rows">
        <Group>
          <TextInput
            label="Search"
            value={words}
            onChange={({ currentTarget: { value } }) => setWords(value)}
            w="20rem"
          />
          <NativeSelect
            label="Rows"
            value={density}
            data={["comfortable", "compact"]}
            onChange={({ currentTarget: { value } }) => setDensity(value)}
          />
        </Group>
        <VirtualTable
          caption="Devices"
          columns={COLUMNS}
          rows={rows}
          rowKey={({ id }) => id}
          sort={sort}
          onSort={setSort}
          density={density === "compact" ? "compact" : "comfortable"}
          onOpen={({ name }) => tellDone(`Opened ${name}.`)}
          selection={{
            keys: ticked,
            onChange: setTicked,
            actions: (
              <Button size="xs" variant="default" onClick={() => tellDone("Released.")}>
                Release
              </Button>
            ),
          }}
          empty={<NoRows filtered={words !== ""}>Devices appear here as they ask for an address.</NoRows>}
        />
      </Section>
    </Page>
  );
}
