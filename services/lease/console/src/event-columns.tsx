import { exactTime, Moment, type VirtualColumn } from "@frontdesk/ui";
import { Anchor, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { LeaseEvent } from "./api.ts";
import { EventBadge, EventReason, LinkedDevice } from "./event-badge.tsx";
import { t } from "./words/activity.ts";

/** What a list of events shows of each. */
export const eventColumns: VirtualColumn<LeaseEvent>[] = [
  { id: "at", title: t.when, width: "9rem", cell: ({ at }) => <Moment time={at} /> },
  { id: "type", title: t.type, width: "9rem", cell: (event) => <EventBadge event={event} /> },
  {
    id: "ip",
    title: t.address,
    width: "9rem",
    cell: ({ ip }) =>
      ip && (
        <Anchor component={Link} href={`/activity?ip=${ip}`} size="sm" ff="monospace">
          {ip}
        </Anchor>
      ),
  },
  {
    id: "device",
    title: t.device,
    cell: (event) => (
      <Stack gap={0}>
        <LinkedDevice of={event} />
        {event.relay && (
          <Text size="xs" c="dimmed">
            {t.relay(event.relay)}
          </Text>
        )}
      </Stack>
    ),
  },
  {
    id: "why",
    title: t.why,
    cell: (event) => (
      <>
        <EventReason event={event} />
        {event.type === "grant" && event.expires_at && (
          <Text size="xs" c="dimmed">
            {t.until(exactTime(event.expires_at))}
          </Text>
        )}
      </>
    ),
  },
  {
    id: "id",
    title: t.number,
    width: "6rem",
    cell: ({ id }) => (
      <Text size="sm" c="dimmed" ff="monospace">
        {id}
      </Text>
    ),
  },
];
