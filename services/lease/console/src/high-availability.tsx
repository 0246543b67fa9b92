import {
  type Column,
  DataTable,
  duration,
  EmptyState,
  filled,
  Loaded,
  Moment,
  Section,
  useAction,
  wholeNumber,
} from "@frontdesk/ui";
import { Alert, Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { call, type HaPair, questions } from "./api.ts";
import { Facts } from "./facts.tsx";
import { InFuture } from "./in-future.tsx";
import { t } from "./words/high-availability.ts";

const LOOK_MS = 2_000;
const CHANGES = [questions.ha, { queryKey: ["audit"] }];

const COLORS: Record<HaPair["state"], string> = {
  startup: "blue",
  resync: "blue",
  normal: "pine",
  interrupted: "clay",
  partner_down: "clay",
  recover: "blue",
  conflict: "red",
  maintenance: "gray",
};

/** The pair of engines, as the one of this console sees it. */
export function HighAvailability() {
  const pair = useQuery({ ...questions.ha, refetchInterval: LOOK_MS });
  return (
    <Loaded query={pair}>
      {(known) =>
        known ? (
          <Pair pair={known} />
        ) : (
          <Section title={t.highAvailability}>
            <Text size="sm">{t.notConfigured}</Text>
          </Section>
        )
      }
    </Loaded>
  );
}

function Pair({ pair }: { pair: HaPair }) {
  const { state, since, reason, advice, pools } = pair;
  return (
    <Section title={t.highAvailability} actions={<Badge color={COLORS[state]}>{t.states[state]}</Badge>}>
      <Stack gap="md">
        <Text size="sm">
          {filled(t.since, { state: t.states[state], when: <Moment time={since} /> })} <bdi>{reason}</bdi>
        </Text>
        {advice && (
          <Alert color="clay" title={t.advice}>
            <Text size="sm" dir="auto">
              {advice}
            </Text>
          </Alert>
        )}
        <Facts of={factsOf(pair)} />
        <DataTable
          caption={t.freeAddresses}
          columns={columns}
          rows={pools}
          rowKey={({ subnet, pool }) => `${subnet} ${pool}`}
          empty={<EmptyState title={t.noPools}>{t.noPoolsAbout}</EmptyState>}
        />
        <Commands pair={pair} />
      </Stack>
    </Section>
  );
}

function factsOf(pair: HaPair): Parameters<typeof Facts>[0]["of"] {
  const { link, peer, takeover, last_resync, plan } = pair;
  const lag = pair.oldest_unacked_s === null ? "" : t.oldest(duration(pair.oldest_unacked_s * 1_000));
  return [
    [t.role, t.roleAndMode(t.roles[pair.role], t.modes[pair.mode])],
    [t.epoch, wholeNumber(pair.epoch)],
    [t.link, link.state === "up" ? t.linkUp : link.problem ? t.linkDownBecause(link.problem) : t.linkDown],
    [t.peer, peerText(peer)],
    [t.lastContact, peer.last_contact && <Moment time={peer.last_contact} />],
    [t.lag, `${wholeNumber(pair.unacked_updates)}${lag}`],
    [t.clockDifference, t.milliseconds(wholeNumber(Math.round(pair.clock_difference_ms)))],
    [t.plan, plan.frozen ? t.planDiffers : plan.agreed ? t.planAgreed : t.planNotAgreed],
    [t.service, pair.service_hash_equal === false ? t.serviceDiffers : null],
    [t.handedOver, pair.state === "maintenance" ? (pair.handed_over ? t.yes : t.notYet) : null],
    [
      t.takeover,
      takeover &&
        filled(t.takeoverAt, {
          at: <Moment time={takeover.at} />,
          from: <InFuture time={takeover.usable_from} />,
        }),
    ],
    [
      t.lastResync,
      last_resync && t.resynced(wholeNumber(last_resync.rows), duration(last_resync.seconds * 1_000)),
    ],
    [t.conflicts, pair.conflicts > 0 ? wholeNumber(pair.conflicts) : null],
  ];
}

function peerText({ state, since, serving }: HaPair["peer"]) {
  if (state === null) return t.peerAway;
  const is = t.peerIs(t.states[state], serving !== false);
  return since === null ? is : filled(t.peerSince, { is, when: <Moment time={since} /> });
}

const columns: Column<HaPair["pools"][number]>[] = [
  { title: t.subnet, cell: ({ subnet }) => <bdi>{subnet}</bdi> },
  { title: t.pool, cell: ({ pool }) => <bdi>{pool}</bdi> },
  { title: t.ownFree, cell: ({ own_free }) => wholeNumber(own_free) },
  { title: t.peerFree, cell: ({ peer_free }) => wholeNumber(peer_free) },
  { title: t.awaiting, cell: ({ awaiting }) => wholeNumber(awaiting) },
];

/** What can be told to the pair in the state that it is in. */
function Commands({ pair: { state, link } }: { pair: HaPair }) {
  const partnerDown = useAction(() => call("POST /ha/partner-down", { json: {} }), {
    ask: { title: t.askPartnerDown, body: t.partnerDownAbout, action: t.takeOver, danger: true },
    changes: CHANGES,
    done: t.hasTakenOver,
  });
  const maintenance = useAction(() => call("POST /ha/maintenance"), {
    ask: { title: t.askMaintenance, body: t.maintenanceAbout, action: t.handOver },
    changes: CHANGES,
    done: t.handsOver,
  });
  const resume = useAction(() => call("POST /ha/resume", { json: {} }), {
    changes: CHANGES,
    done: t.hasResumed,
  });
  const isAlone = link.state === "down" && (state === "interrupted" || state === "startup");
  return (
    <Group>
      {state === "normal" && (
        <Button variant="default" {...maintenance}>
          {t.maintenance}
        </Button>
      )}
      {state === "maintenance" && <Button {...resume}>{t.resume}</Button>}
      {isAlone && (
        <Button variant="light" color="red" {...partnerDown}>
          {t.partnerDown}
        </Button>
      )}
    </Group>
  );
}
