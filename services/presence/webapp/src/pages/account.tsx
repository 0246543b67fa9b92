import { TwoStepSection } from "@frontdesk/signin/two-step";
import {
  ActionForm,
  type Column,
  DataTable,
  Loaded,
  Moment,
  Page,
  Section,
  tellDone,
  useAction,
} from "@frontdesk/ui";
import { Badge, Button, Group, NativeSelect, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, questions, signin } from "../api.ts";
import { useMyself, useOrg } from "../org.ts";
import { useSendChanged } from "../send-changed.ts";
import { changed } from "../session.ts";
import type { Reply } from "../shapes.ts";
import { t } from "../words/admin.ts";
import { zoneChoices, zoneName } from "../zones.ts";

type Place = Reply<"GET /me/sessions">["sessions"][number];

export function AccountPage() {
  return (
    <Page title={t.account} intro={t.accountIntro}>
      <Profile />
      <TwoStepSection api={signin} />
      <Places />
    </Page>
  );
}

function Profile() {
  const { org, board } = useOrg();
  const myself = useMyself();
  const [name, setName] = useState(myself?.name ?? "");
  const [timeZone, setTimeZone] = useState(myself?.timeZone ?? "");
  const now = { name: name.trim(), timeZone: timeZone || null };
  const [shown, setShown] = useState(now);
  const sendChanged = useSendChanged<typeof now>();
  const save = async () => {
    await sendChanged(shown, now, (json) => call("PATCH /orgs/{org}/me", { path: { org }, json }));
    setShown(now);
    await changed(questions.board(org), { queryKey: ["ends"] }, questions.planned(org));
    tellDone(t.saved);
  };
  return (
    <Section title={t.profile} about={myself?.email}>
      <ActionForm action={t.save} onSubmit={save} disabled={!name.trim()}>
        {(problem) => (
          <>
            <TextInput
              label={t.yourName}
              dir="auto"
              autoComplete="name"
              maxLength={200}
              value={name}
              error={problem("name")}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <NativeSelect
              label={t.yourZone}
              data={[
                { value: "", label: t.asTheOrganisation(zoneName(board.org.timeZone)) },
                ...zoneChoices(myself?.timeZone ?? null),
              ]}
              value={timeZone}
              error={problem("timeZone")}
              onChange={(event) => setTimeZone(event.currentTarget.value)}
            />
          </>
        )}
      </ActionForm>
    </Section>
  );
}

function Places() {
  const sessions = useQuery(questions.sessions);
  const columns: Column<Place>[] = [
    {
      title: t.device,
      cell: ({ user_agent, current }) => (
        <Group gap="xs">
          <Text size="sm" lineClamp={2} maw="24rem">
            {user_agent ?? t.unknownDevice}
          </Text>
          {current && <Badge size="sm">{t.thisOne}</Badge>}
        </Group>
      ),
    },
    { title: t.lastSeen, cell: ({ last_seen_at }) => <Moment time={last_seen_at} /> },
    { title: t.signedIn, cell: ({ created_at }) => <Moment time={created_at} /> },
    { title: t.actions, actions: true, cell: (place) => (place.current ? null : <End place={place} />) },
  ];
  return (
    <Section title={t.whereSignedIn} about={t.signOutOthers}>
      <Loaded query={sessions}>
        {(places) => (
          <DataTable caption={t.whereSignedIn} columns={columns} rows={places} rowKey={({ id }) => id} />
        )}
      </Loaded>
    </Section>
  );
}

function End({ place: { id, user_agent } }: { place: Place }) {
  const end = useAction(() => call("DELETE /me/sessions/{id}", { path: { id } }), {
    changes: [questions.sessions],
    done: t.isSignedOut,
  });
  return (
    <Button size="xs" variant="default" aria-label={t.signOutNamed(user_agent ?? t.unknownDevice)} {...end}>
      {t.signOut}
    </Button>
  );
}
