import {
  type Column,
  count,
  DataTable,
  duration,
  EmptyState,
  Moment,
  Section,
  UsageBar,
  wholeNumber,
} from "@frontdesk/ui";
import { Anchor, Badge, Text } from "@mantine/core";
import { Link } from "wouter";
import type { Dashboard, LeaseEvent } from "./api.ts";
import { EventBadge, LinkedDevice } from "./event-badge.tsx";
import { t } from "./words/dashboard.ts";

type Status = NonNullable<Dashboard["engine"]["status"]>;
type Pool = Status["pools"][number];
const HOUR_MS = 3_600_000;
const MAX_SHOWN = 10;
/** Full within a day: it is time to do something. */
const SOON_HOURS = 24;

/** Pools, ports and the newest events. */
export function DashboardTables(props: {
  status: Status | null;
  events: readonly LeaseEvent[];
  newDevices: Dashboard["new_devices"];
}) {
  const { status, events, newDevices } = props;
  return (
    <>
      {status && (
        <Section title={t.pools} about={t.poolsAbout}>
          <DataTable
            caption={t.pools}
            columns={poolColumns}
            rows={status.pools}
            rowKey={({ first, last }) => `${first} ${last}`}
            empty={<EmptyState title={t.noPools}>{t.addSubnets}</EmptyState>}
          />
        </Section>
      )}
      {status && status.crowded_ports.length > 0 && (
        <Section title={t.crowded} about={t.crowdedAbout}>
          <DataTable
            caption={t.crowded}
            columns={portColumns}
            rows={status.crowded_ports}
            rowKey={({ port }) => port}
          />
        </Section>
      )}
      {newDevices.count > 0 && (
        <Section title={t.newDevices} about={t.newDevicesAbout}>
          <DataTable
            caption={t.newDevices}
            columns={newDeviceColumns}
            rows={newDevices.items.slice(0, MAX_SHOWN)}
            rowKey={({ mac }) => mac}
          />
          {newDevices.count > MAX_SHOWN && (
            <Text size="sm">{count(newDevices.count - MAX_SHOWN, t.moreNewDevices)}</Text>
          )}
        </Section>
      )}
      <Section
        title={t.newest}
        actions={
          <Anchor component={Link} href="/activity" size="sm">
            {t.allActivity}
          </Anchor>
        }
      >
        <DataTable
          caption={t.newest}
          columns={eventColumns}
          rows={events.slice(0, MAX_SHOWN)}
          rowKey={({ id }) => String(id)}
          empty={
            <Text size="sm" c="dimmed">
              {t.noEvents}
            </Text>
          }
        />
      </Section>
    </>
  );
}

const poolColumns: Column<Pool>[] = [
  {
    title: t.subnet,
    cell: ({ subnet }) => (
      <Anchor component={Link} href={`/leases?subnet=${encodeURIComponent(subnet)}`} size="sm" fw={550}>
        <bdi>{subnet}</bdi>
      </Anchor>
    ),
  },
  { title: t.range, cell: ({ first, last }) => <Text size="sm" ff="monospace">{`${first} – ${last}`}</Text> },
  {
    title: t.used,
    cell: ({ subnet, size, free }) => <UsageBar label={t.usedOf(subnet)} used={size - free} total={size} />,
  },
  { title: t.free, cell: ({ free, size }) => t.freeOf(wholeNumber(free), wholeNumber(size)) },
  { title: t.forecast, cell: (pool) => <Forecast pool={pool} /> },
];

function Forecast({ pool: { free, full_in_hours: hours } }: { pool: Pool }) {
  if (free === 0) return <Badge color="red">{t.full}</Badge>;
  if (hours === null) {
    return (
      <Text size="sm" c="dimmed">
        {t.notSoon}
      </Text>
    );
  }
  return (
    <Badge color={hours < SOON_HOURS ? "red" : "clay"}>
      {t.fullIn(duration(Math.max(60_000, hours * HOUR_MS)))}
    </Badge>
  );
}

const portColumns: Column<Status["crowded_ports"][number]>[] = [
  { title: t.port, cell: ({ port }) => <bdi>{port}</bdi> },
  { title: t.held, cell: ({ held }) => wholeNumber(held) },
];

const newDeviceColumns: Column<Dashboard["new_devices"]["items"][number]>[] = [
  { title: t.device, cell: (device) => <LinkedDevice of={{ ...device, client_id: null, duid: null }} /> },
  { title: t.when, cell: ({ at }) => <Moment time={at} /> },
  {
    title: t.address,
    cell: ({ ip }) =>
      ip && (
        <Anchor component={Link} href={`/leases?lease=${ip}`} size="sm" ff="monospace">
          {ip}
        </Anchor>
      ),
  },
];

const eventColumns: Column<LeaseEvent>[] = [
  { title: t.when, cell: ({ at }) => <Moment time={at} /> },
  { title: t.what, cell: (event) => <EventBadge event={event} /> },
  {
    title: t.address,
    cell: ({ ip }) =>
      ip && (
        <Anchor component={Link} href={`/activity?ip=${ip}`} size="sm" ff="monospace">
          {ip}
        </Anchor>
      ),
  },
  { title: t.device, cell: (event) => <LinkedDevice of={event} /> },
];
