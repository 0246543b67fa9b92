import { type Column, DataTable, Loaded, Moment, Section, useAction } from "@frontdesk/ui";
import { Badge, Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { orders, questions } from "../api.ts";
import { session } from "../session.ts";
import type { SignedInPlace } from "../shapes.ts";
import { deviceName } from "./device-name.ts";

export function PlacesSection() {
  const sessions = useQuery(questions.sessions);
  const columns: Column<SignedInPlace>[] = [
    {
      title: "Device",
      cell: ({ user_agent, current }) => (
        <Group gap="xs">
          <Text size="sm" fw={550} title={user_agent ?? ""}>
            {deviceName(user_agent)}
          </Text>
          {current && <Badge size="sm">This one</Badge>}
        </Group>
      ),
    },
    { title: "Last seen", cell: ({ last_seen_at }) => <Moment time={last_seen_at} /> },
    { title: "Signed in", cell: ({ created_at }) => <Moment time={created_at} /> },
    {
      title: "Actions",
      actions: true,
      cell: (place) => (place.current ? null : <EndButton place={place} />),
    },
  ];
  return (
    <Section
      title="Where you are signed in"
      about="Sign out a device that you no longer use or do not know."
      actions={<EverywhereButton />}
    >
      <Loaded query={sessions}>
        {(places) => (
          <DataTable
            caption="Where you are signed in"
            columns={columns}
            rows={places}
            rowKey={({ id }) => id}
          />
        )}
      </Loaded>
    </Section>
  );
}

function EndButton({ place }: { place: SignedInPlace }) {
  const end = useAction(() => orders.endSession(place.id), {
    changes: [questions.sessions],
    done: "That device is signed out.",
  });
  return (
    <Button size="xs" variant="default" aria-label={`Sign out ${deviceName(place.user_agent)}`} {...end}>
      Sign out
    </Button>
  );
}

function EverywhereButton() {
  const [, navigate] = useLocation();
  const end = useAction(orders.signOutEverywhere, {
    ask: {
      title: "Sign out everywhere?",
      body: "All your devices are signed out, this one too, and what you have not saved here is discarded. You can sign in again at once.",
      action: "Sign out everywhere",
    },
    after: () => {
      session.leave();
      navigate("/sign-in", { replace: true });
    },
  });
  return (
    <Button variant="default" size="xs" {...end}>
      Sign out everywhere
    </Button>
  );
}
