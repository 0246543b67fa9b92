import { count } from "@frontdesk/ui";
import { Anchor, Badge, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { LeaseEvent } from "./api.ts";
import { EVENTS, RENEWALS, reasonInWords } from "./words/events.ts";

export function EventBadge({ event }: { event: LeaseEvent }) {
  const { words, color } = EVENTS[event.type];
  return (
    <Badge color={color} flex="none">
      {words}
    </Badge>
  );
}

/** Why it happened, and the renewals that it stands for. */
export function EventReason({ event }: { event: LeaseEvent }) {
  const reason = reasonInWords(event.reason);
  return (
    <Stack gap={0}>
      {reason && <Text size="sm">{reason}</Text>}
      {event.renewals > 0 && (
        <Text size="xs" c="dimmed">
          {count(event.renewals, RENEWALS)}
        </Text>
      )}
    </Stack>
  );
}

type Known = Pick<LeaseEvent, "hostname" | "mac" | "client_id" | "duid">;

/** What a device is known by; in DHCPv6 often by its DUID alone. */
export const identityOf = ({ mac, client_id, duid }: Omit<Known, "hostname">) => mac ?? client_id ?? duid;

/** The same, leading to all that is known of the device. */
export function LinkedDevice({ of }: { of: Known }) {
  const id = identityOf(of);
  if (!id) return <Device of={of} />;
  return (
    <Anchor component={Link} href={deviceHref(id)} c="inherit" underline="hover">
      <Device of={of} />
    </Anchor>
  );
}

export const deviceHref = (id: string) => `/device?id=${encodeURIComponent(id)}`;

/** The device as people know it: its name, and what it is told apart by. */
export function Device({ of }: { of: Known }) {
  return (
    <Stack gap={0}>
      {of.hostname && (
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          <bdi>{of.hostname}</bdi>
        </Text>
      )}
      <Text size={of.hostname ? "xs" : "sm"} {...(of.hostname ? { c: "dimmed" } : {})} ff="monospace">
        {identityOf(of)}
      </Text>
    </Stack>
  );
}
