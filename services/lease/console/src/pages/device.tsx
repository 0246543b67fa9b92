import {
  type Column,
  DataTable,
  EmptyState,
  Loaded,
  Moment,
  NoRows,
  Page,
  Section,
  useServerRows,
  useUrlState,
  VirtualTable,
} from "@frontdesk/ui";
import { Anchor, Group, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { call, type Lease } from "../api.ts";
import { eventColumns } from "../event-columns.tsx";
import { Facts } from "../facts.tsx";
import { InFuture } from "../in-future.tsx";
import { LeaseBadges } from "../lease-columns.tsx";
import { t } from "../words/device.ts";

const PAGE = 100;

const ask = (id: string, limit: number, cursor?: number, signal?: AbortSignal) =>
  call("GET /devices/{id}", {
    path: { id },
    query: { limit, ...(cursor === undefined ? {} : { cursor }) },
    ...(signal ? { signal } : {}),
  });

/** One device over all its identities and addresses. */
export function DevicePage() {
  const [id] = useUrlState("id");
  return (
    <Page title={t.device} intro={t.intro} wide>
      {id ? <Known key={id} id={id} /> : <EmptyState title={t.noDevice}>{t.openALease}</EmptyState>}
    </Page>
  );
}

function Known({ id }: { id: string }) {
  // With the leases that are shown: what happens to them is asked for as it happens.
  const device = useQuery({ queryKey: ["lease", "device", id], queryFn: () => ask(id, 1), retry: false });
  return (
    <Loaded query={device}>
      {(shown) => (
        <>
          <Section title={t.known}>
            <Facts
              of={[
                [t.hostnames, lines(shown.hostnames)],
                [t.macs, lines(shown.macs)],
                [t.clientIds, lines(shown.client_ids)],
                [t.duids, lines(shown.duids)],
                [t.makers, lines(makersOf(shown.leases))],
                [t.vendors, lines(shown.vendors)],
                [t.note, shown.note],
                [t.dnsName, shown.dns_name],
                [t.reservations, reservedLinks(shown.reservations)],
              ]}
            />
          </Section>
          <Section title={t.addresses}>
            <DataTable
              caption={t.addresses}
              columns={COLUMNS}
              rows={shown.leases}
              rowKey={({ ip }) => ip}
              empty={<EmptyState title={t.noAddresses} />}
            />
          </Section>
          <Timeline id={id} />
        </>
      )}
    </Loaded>
  );
}

const makersOf = (leases: readonly Lease[]) => [...new Set(leases.flatMap(({ maker }) => maker ?? []))];

function lines(values: readonly string[]) {
  if (values.length === 0) return null;
  return (
    <Stack gap={0}>
      {values.map((value) => (
        <bdi key={value}>{value}</bdi>
      ))}
    </Stack>
  );
}

function reservedLinks(of: ReadonlyArray<{ ip: string }>) {
  if (of.length === 0) return null;
  return (
    <Group gap="xs">
      {of.map(({ ip }) => (
        <Anchor key={ip} component={Link} href={`/reservations?q=${ip}`} size="sm" ff="monospace">
          {ip}
        </Anchor>
      ))}
    </Group>
  );
}

function Timeline({ id }: { id: string }) {
  const rows = useServerRows(["lease", "device", id, "timeline"], async ({ cursor, signal }) => {
    const { items, next_cursor } = await ask(id, PAGE, cursor ? Number(cursor) : undefined, signal);
    return { items, next_cursor: next_cursor === null ? null : String(next_cursor) };
  });
  return (
    <Section title={t.timeline}>
      <VirtualTable
        caption={t.timeline}
        columns={eventColumns}
        rows={rows}
        rowKey={(event) => String(event.id)}
        density="compact"
        empty={<NoRows filtered={false}>{t.nothing}</NoRows>}
      />
    </Section>
  );
}

const COLUMNS: Column<Lease>[] = [
  {
    title: t.address,
    cell: ({ ip }) => (
      <Anchor component={Link} href={`/leases?lease=${ip}`} size="sm" ff="monospace">
        {ip}
      </Anchor>
    ),
  },
  { title: t.state, cell: (lease) => <LeaseBadges lease={lease} /> },
  { title: t.subnet, cell: ({ subnet }) => subnet },
  { title: t.started, cell: ({ starts_at }) => starts_at && <Moment time={starts_at} /> },
  {
    title: t.ends,
    cell: ({ expires_at }) => (expires_at ? <InFuture time={expires_at} /> : t.never),
  },
];
