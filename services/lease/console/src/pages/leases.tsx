import {
  count,
  NoRows,
  Page,
  Section,
  useAction,
  useServerRows,
  useUrlDialog,
  useUrlState,
  VirtualTable,
} from "@frontdesk/ui";
import { Button, NativeSelect, SimpleGrid, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { call, type Lease, type LeaseFilter, questions } from "../api.ts";
import { leaseColumns } from "../lease-columns.tsx";
import { LeaseDialog } from "../lease-dialog.tsx";
import { leasePagesKey } from "../lease-pages.ts";
import { releaseEach } from "../lease-release.ts";
import { useIsOperator } from "../rights.ts";
import { RolloutProgress, StartRollout } from "../rollout.tsx";
import { t } from "../words/leases.ts";

type Ticked = ReadonlyMap<string, Lease>;
const NONE: Ticked = new Map();
const LISTS = [{ queryKey: ["lease-pages"] }, { queryKey: ["lease"] }];

export function LeasesPage() {
  const isOperator = useIsOperator();
  const { data: engine } = useQuery(questions.engine);
  const [words, setWords] = useUrlState("q");
  const [state, setState] = useUrlState("state");
  const [subnet, setSubnet] = useUrlState("subnet");
  const [opened, open, close] = useUrlDialog("lease");
  const [ticks, setTicks] = useState({ among: "", leases: NONE });
  const filter: LeaseFilter = { q: words.trim(), subnet, state: isState(state) ? state : "" };
  const among = JSON.stringify(filter);
  const rows = useServerRows(leasePagesKey(filter), ({ cursor, signal }) =>
    questions.leasePage(filter, cursor, signal),
  );
  // What was ticked in another list, or has left this one, is not seen: it must not be released with what is.
  const ticked = ticks.among === among && !rows.isStale ? shownOf(ticks.leases, rows.rows) : NONE;
  // As each was when it was ticked: its address may have another device when they are released.
  const setTicked = (ips: ReadonlySet<string>) => {
    const shown = rows.rows.map((lease) => [lease.ip, lease] as const);
    const leases = [...shown, ...ticked].filter(([ip]) => ips.has(ip));
    setTicks({ among, leases: new Map(leases) });
  };
  const untick = (done: Ticked) =>
    setTicks((now) => ({ ...now, leases: new Map([...now.leases].filter(([ip]) => !done.has(ip))) }));
  const columns = useMemo(() => leaseColumns({ isOperator, open }), [isOperator, open]);
  const subnets = [...new Set([...(engine?.status?.pools.map((pool) => pool.subnet) ?? []), subnet])];
  return (
    <Page
      title={t.leases}
      intro={t.intro}
      wide
      actions={
        isOperator && (
          <>
            <StartRollout filter={filter} />
            <ReleaseShown filter={filter} />
          </>
        )
      }
    >
      <RolloutProgress />
      <Section title={t.addresses}>
        <SimpleGrid cols={{ base: 1, xs: 3 }} maw="56rem">
          <TextInput
            label={t.search}
            type="search"
            placeholder={t.searchHint}
            value={words}
            maxLength={200}
            onChange={({ currentTarget: { value } }) => setWords(value)}
          />
          <NativeSelect
            label={t.state}
            value={filter.state}
            data={[
              { value: "", label: t.all },
              ...Object.entries(t.states).map(([value, { words: label }]) => ({ value, label })),
            ]}
            onChange={({ currentTarget: { value } }) => setState(value)}
          />
          <NativeSelect
            label={t.subnet}
            value={subnet}
            data={[
              { value: "", label: t.all },
              ...subnets.filter(Boolean).map((value) => ({ value, label: value })),
            ]}
            onChange={({ currentTarget: { value } }) => setSubnet(value)}
          />
        </SimpleGrid>
        <VirtualTable
          caption={t.leases}
          columns={columns}
          rows={rows}
          rowKey={({ ip }) => ip}
          onOpen={({ ip }) => open(ip)}
          density="compact"
          {...(isOperator
            ? {
                selection: {
                  keys: new Set(ticked.keys()),
                  onChange: setTicked,
                  actions: <ReleaseTicked leases={ticked} untick={untick} />,
                },
              }
            : {})}
          empty={<NoRows filtered={Boolean(words || state || subnet)}>{t.firstOnes}</NoRows>}
        />
      </Section>
      <LeaseDialog ip={opened} close={close} />
    </Page>
  );
}

/** Those that are in the list; of the same device, as they are there: somebody may have noted something of it since. */
const shownOf = (ticked: Ticked, rows: readonly Lease[]): Ticked => {
  if (ticked.size === 0) return NONE;
  const shown = rows.flatMap((lease) => {
    const then = ticked.get(lease.ip);
    return then ? [[lease.ip, isSameHolder(then, lease) ? lease : then] as const] : [];
  });
  return new Map(shown);
};

const isSameHolder = (one: Lease, other: Lease) =>
  one.mac === other.mac && one.client_id === other.client_id && one.duid === other.duid;

/** An address may carry anything; what is no state shows all. */
const isState = (word: string): word is Lease["state"] => Object.hasOwn(t.states, word);

function ReleaseTicked({ leases, untick }: { leases: Ticked; untick: (done: Ticked) => void }) {
  // What is ticked while they are released stays so.
  const release = useAction(async () => ({ leases, ...(await releaseEach([...leases.values()])) }), {
    ask: {
      title: count(leases.size, t.releaseTickedTitle),
      body: t.releaseBody,
      action: count(leases.size, t.releaseMany),
      danger: true,
    },
    changes: LISTS,
    done: ({ released, left }) =>
      left === 0
        ? count(released, t.wereReleased)
        : [...(released ? [count(released, t.wereReleased)] : []), count(left, t.wereLeft)].join(" "),
    after: (done) => untick(done.leases),
  });
  return (
    <Button size="xs" color="red" variant="light" {...release}>
      {t.releaseTicked}
    </Button>
  );
}

/** Releases what the filter shows. How many that is, is asked first, and the manager holds us to it. */
function ReleaseShown({ filter: { q, subnet, state } }: { filter: LeaseFilter }) {
  const agreed = useRef(0);
  const filter = { ...(q ? { q } : {}), ...(subnet ? { subnet } : {}) };
  const release = useAction(() => call("DELETE /leases", { query: { ...filter, count: agreed.current } }), {
    ask: async (confirm) => {
      const { count: many } = await call("GET /releasable-leases", { query: filter });
      agreed.current = many;
      const yes = await confirm({
        title: t.releaseShown,
        body: count(many, t.releaseShownBody),
        action: count(many, t.releaseMany),
        danger: true,
      });
      return yes && many > 0;
    },
    changes: LISTS,
    done: ({ released }) => count(released, t.wereReleased),
  });
  const releases = state === "" || state === "active";
  if (!releases || (!q && !subnet)) return null;
  return (
    <Button variant="default" {...release}>
      {t.releaseShown}
    </Button>
  );
}
