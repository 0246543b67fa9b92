import { duration, filled, Loaded, Moment } from "@frontdesk/ui";
import { Anchor, Button, Group, List, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { call, type Lease } from "./api.ts";
import { EventBadge, EventReason } from "./event-badge.tsx";
import { type Asked, asking, decisionAmong, eventsAbout } from "./lease-decision.ts";
import { useIsAdmin } from "./rights.ts";
import { t } from "./words/leases.ts";

/** RFC 2131 section 3.3: a lease of so many seconds never ends. */
const FOR_EVER = 0xffff_ffff;

/** What the device would get if it asked now, step by step as the engine decides it. */
export function LeaseWhy({ lease }: { lease: Lease }) {
  const asked = asking(lease);
  return (
    <Stack gap="sm">
      <Title order={3}>{t.whyThen}</Title>
      <Decided lease={lease} />
      <Title order={3}>{t.whyNow}</Title>
      {asked ? <Explained ip={lease.ip} asked={asked} /> : <Text size="sm">{t.whyNotKnown}</Text>}
    </Stack>
  );
}

/** What the history says of the decision: when, why, and by which version of the configuration. */
function Decided({ lease }: { lease: Lease }) {
  const { ip, mac, duid } = lease;
  const isAdmin = useIsAdmin();
  const decided = useQuery({
    queryKey: ["lease", ip, "decided", mac, duid],
    queryFn: async () => {
      const { items } = await call("GET /lease-events", { query: eventsAbout(lease) });
      return decisionAmong(lease, items);
    },
  });
  return (
    <Loaded query={decided}>
      {(event) =>
        event === null ? (
          <Text size="sm">{t.notInHistory}</Text>
        ) : (
          <Stack gap={4}>
            <Group gap="xs">
              <EventBadge event={event} />
              <Text size="sm" component="div">
                <Moment time={event.at} />
              </Text>
            </Group>
            <EventReason event={event} />
            <Text size="sm" c="dimmed" component="div">
              {filled(t.byConfiguration, {
                version: isAdmin ? (
                  <Anchor
                    component={Link}
                    href={`/settings?mode=history&version=${event.config}`}
                    size="sm"
                    underline="always"
                  >
                    {event.config}
                  </Anchor>
                ) : (
                  event.config
                ),
              })}
            </Text>
          </Stack>
        )
      }
    </Loaded>
  );
}

function Explained({ ip, asked }: { ip: string; asked: Asked }) {
  const explained = useQuery({
    // With the leases that are shown: what happens to them may change what the engine would decide.
    queryKey: ["lease", ip, "why", asked],
    queryFn: () => call("POST /explain", { json: asked }),
  });
  return (
    <Loaded query={explained}>
      {({ steps, reply }) => (
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            {t.whyAbout}
          </Text>
          <List type="ordered" size="sm" spacing={4}>
            {steps.map((step, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: steps have an order and nothing else
              <List.Item key={at}>
                <bdi>{step}</bdi>
              </List.Item>
            ))}
          </List>
          <Group justify="space-between">
            <Text size="sm" fw={600}>
              {reply === null
                ? t.wouldGetNothing
                : reply.lease_time === FOR_EVER
                  ? t.wouldGetForEver(reply.ip)
                  : t.wouldGet(reply.ip, duration(reply.lease_time * 1_000))}
            </Text>
            <Button size="xs" variant="default" onClick={() => void explained.refetch()}>
              {t.askAgain}
            </Button>
          </Group>
        </Stack>
      )}
    </Loaded>
  );
}
