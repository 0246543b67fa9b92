import { type Column, count, DataTable, filled, Moment, Section, UsageBar, useAction } from "@frontdesk/ui";
import { Badge, Button, Code, Group, List, Stack, Text } from "@mantine/core";
import { useSessionStorage } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, type LeaseFilter, questions, type Rollout } from "./api.ts";
import { InFuture } from "./in-future.tsx";
import { useIsOperator } from "./rights.ts";
import { t } from "./words/rollout.ts";

type Device = Rollout["items"][number];

const LOOK_MS = 2_000;
const SHOWN = ["queued", "told", "waiting", "unreachable", "gone"] as const;

/** Has the devices renew that a filter shows; only those with an active lease can. */
export function StartRollout({ filter: { q, subnet, state } }: { filter: LeaseFilter }) {
  const start = useAction(
    () => call("POST /rollout", { json: { ...(q ? { q } : {}), ...(subnet ? { subnet } : {}) } }),
    {
      ask: { title: t.askToRenew, body: t.aboutRenewing, action: t.renew },
      changes: [questions.rollout],
      done: t.isStarted,
    },
  );
  if (state !== "" && state !== "active") return null;
  return (
    <Button variant="default" {...start}>
      {t.renewShown}
    </Button>
  );
}

/** How far the devices are that were told to renew; nothing where none were. */
export function RolloutProgress() {
  const { data: rollout } = useQuery({
    ...questions.rollout,
    refetchInterval: ({ state }) => (isOpen(state.data) ? LOOK_MS : false),
  });
  const [closed, setClosed] = useSessionStorage({ key: "lease-rollout-seen", defaultValue: "" });
  if (!rollout || (closed === rollout.started_at && !isOpen(rollout))) return null;
  return <Progress rollout={rollout} close={() => setClosed(rollout.started_at)} />;
}

const isOpen = (rollout: Rollout | null | undefined) =>
  rollout?.state === "running" || rollout?.state === "watching";

function Progress({ rollout, close }: { rollout: Rollout; close: () => void }) {
  const { state, counts, until, items, started_at, started_by } = rollout;
  const [open, setOpen] = useState(false);
  const isOperator = useIsOperator();
  const stop = useAction(() => call("DELETE /rollout"), { changes: [questions.rollout], done: t.isStopped });
  const total = Object.values(counts).reduce((sum, each) => sum + each, 0);
  return (
    <Section
      title={t.rollout}
      actions={
        <Badge color={isOpen(rollout) ? "blue" : state === "stopped" ? "gray" : "pine"}>
          {t.states[state]}
        </Badge>
      }
    >
      <Text size="sm" c="dimmed" component="div">
        {filled(t.startedBy, { who: <bdi>{started_by}</bdi>, when: <Moment time={started_at} /> })}
      </Text>
      {total === 0 ? (
        <Text size="sm">{t.nobody}</Text>
      ) : (
        <Stack gap={4}>
          <Text size="sm" fw={550}>
            {counts.converged === total ? t.everybodyHas : t.haveRenewed(counts.converged, total)}
          </Text>
          <UsageBar label={t.progress} used={counts.converged} total={total} />
        </Stack>
      )}
      <List size="sm">
        {SHOWN.filter((each) => counts[each] > 0).map((each) => (
          <List.Item key={each}>{count(counts[each], t.counts[each])}</List.Item>
        ))}
      </List>
      {until && (
        <Text size="sm" component="div">
          {filled(t.until, { when: <InFuture time={until} /> })}
        </Text>
      )}
      <Group>
        {items.length > 0 && (
          <Button size="xs" variant="default" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? t.hideDevices : t.showDevices}
          </Button>
        )}
        {!isOpen(rollout) && (
          <Button size="xs" variant="default" onClick={close}>
            {t.close}
          </Button>
        )}
        {isOperator && state === "running" && (
          <Button size="xs" variant="default" {...stop}>
            {t.stop}
          </Button>
        )}
      </Group>
      {open && items.length > 0 && (
        <DataTable caption={t.devices} columns={COLUMNS} rows={items} rowKey={({ ip }) => ip} />
      )}
    </Section>
  );
}

const COLUMNS: Column<Device>[] = [
  { title: t.address, cell: ({ ip }) => <Code>{ip}</Code> },
  {
    title: t.device,
    cell: ({ mac, hostname }) => (
      <Stack gap={0}>
        {hostname && (
          <Text size="sm">
            <bdi>{hostname}</bdi>
          </Text>
        )}
        <Text size="sm" ff="monospace">
          {mac}
        </Text>
      </Stack>
    ),
  },
  { title: t.state, cell: ({ state }) => t.deviceStates[state] },
  { title: t.renews, cell: ({ renews_at }) => (renews_at ? <InFuture time={renews_at} /> : t.never) },
];
