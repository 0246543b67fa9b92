import { type Column, DataTable, Loaded, Moment, mayLeave, Section, useAction } from "@frontdesk/ui";
import { Badge, Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { orders, questions } from "../api.ts";
import { session } from "../session.ts";
import type { SignedInPlace } from "../shapes.ts";
import { t } from "../words/account.ts";
import { deviceName } from "./device-name.ts";

export function PlacesSection() {
  const sessions = useQuery(questions.sessions);
  const columns: Column<SignedInPlace>[] = [
    {
      title: t.device,
      cell: ({ user_agent, current }) => (
        <Group gap="xs">
          <Text size="sm" fw={550} title={user_agent ?? ""}>
            {deviceName(user_agent)}
          </Text>
          {current && <Badge size="sm">{t.thisOne}</Badge>}
        </Group>
      ),
    },
    { title: t.lastSeen, cell: ({ last_seen_at }) => <Moment time={last_seen_at} /> },
    { title: t.signedIn, cell: ({ created_at }) => <Moment time={created_at} /> },
    {
      title: t.actions,
      actions: true,
      cell: (place) => (place.current ? null : <EndButton place={place} />),
    },
  ];
  return (
    <Section title={t.whereYouAreSignedIn} about={t.signOutADeviceThatYou} actions={<EverywhereButton />}>
      <Loaded query={sessions}>
        {(places) => (
          <DataTable
            caption={t.whereYouAreSignedIn}
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
    done: t.thatDeviceIsSignedOut,
  });
  return (
    <Button size="xs" variant="default" aria-label={t.signOutNamed(deviceName(place.user_agent))} {...end}>
      {t.signOut}
    </Button>
  );
}

function EverywhereButton() {
  const [, navigate] = useLocation();
  const end = useAction(() => session.leave(orders.signOutEverywhere), {
    ask: async (confirm) =>
      (await mayLeave("session")) &&
      confirm({
        title: t.askToSignOutEverywhere,
        body: t.allYourDevicesAreSignedOut,
        action: t.signOutEverywhere,
      }),
    after: () => navigate("/sign-in", { replace: true }),
  });
  return (
    <Button variant="default" size="xs" {...end}>
      {t.signOutEverywhere}
    </Button>
  );
}
