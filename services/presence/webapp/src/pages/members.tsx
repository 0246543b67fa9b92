import {
  ActionForm,
  type Column,
  count,
  createNewestLast,
  DataTable,
  EmptyState,
  emptied,
  Loaded,
  localRows,
  Moment,
  NoRows,
  Page,
  PersonChip,
  Section,
  shortDate,
  tellDone,
  tellFailure,
  useAction,
  useConfirm,
  useUrlState,
  type VirtualColumn,
  VirtualTable,
} from "@frontdesk/ui";
import { Badge, Button, Group, NativeSelect, SimpleGrid, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo, useRef, useState } from "react";
import { call, questions } from "../api.ts";
import { findPeople, searchable } from "../board/find-people.ts";
import { EditDialog, useEdited } from "../edit-dialog.tsx";
import { useOrg } from "../org.ts";
import { useSendChanged } from "../send-changed.ts";
import { useServerNow } from "../server-now.ts";
import { changed } from "../session.ts";
import type { Invitation, Member, Role } from "../shapes.ts";
import { useTypedSince } from "../typed-since.ts";
import { t } from "../words/admin.ts";
import { zoneChoices, zoneName } from "../zones.ts";

const ROLES = Object.entries(t.roles).map(([value, label]) => ({ value, label }));

export function MembersPage() {
  const { board } = useOrg();
  const [q, setQ] = useUrlState("q");
  const wanted = useDeferredValue(q);
  const people = useMemo(() => searchable(board.members, board.statuses), [board.members, board.statuses]);
  const found = useMemo(() => {
    const byText = findPeople(people, { q: wanted, kind: "", group: "", status: "" });
    const byAddress = people.filter(
      (each) =>
        wanted !== "" && !byText.includes(each) && each.member.email.includes(wanted.trim().toLowerCase()),
    );
    return [...byText, ...byAddress].map(({ member }) => member);
  }, [people, wanted]);
  const edited = useEdited(board.members, ({ id }) => id);
  const columns = useMemo(() => columnsOf(edited.edit), [edited.edit]);
  return (
    <Page title={t.members} intro={t.membersIntro} wide>
      <Invite />
      <Invitations />
      <Section title={t.members}>
        <TextInput
          type="search"
          label={t.search}
          placeholder={t.searchHint}
          dir="auto"
          value={q}
          onChange={(event) => setQ(event.currentTarget.value)}
        />
        <VirtualTable
          caption={t.members}
          columns={columns}
          rows={localRows(found)}
          rowKey={({ id }) => id}
          empty={<NoRows filtered={q !== ""} />}
        />
      </Section>
      <EditDialog edited={edited} title={({ name }) => t.editNamed(name)}>
        {(member) => <EditForm key={member.id} member={member} done={edited.close} />}
      </EditDialog>
    </Page>
  );
}

const columnsOf = (edit: (member: Member) => void): VirtualColumn<Member>[] => [
  {
    id: "name",
    title: t.name,
    width: "minmax(14rem, 2fr)",
    cell: ({ name, email, avatarUrl }) => <PersonChip name={name} face={avatarUrl} more={email} />,
  },
  { id: "group", title: t.group, cell: ({ group }) => <bdi>{group}</bdi> },
  { id: "role", title: t.role, width: "11rem", cell: (member) => <RoleOf member={member} /> },
  {
    id: "actions",
    title: t.actions,
    actions: true,
    width: "12rem",
    cell: (member) => (
      <Group gap="xs" wrap="nowrap">
        <Button
          size="xs"
          variant="default"
          aria-label={t.editNamed(member.name)}
          onClick={() => edit(member)}
        >
          {t.edit}
        </Button>
        <Remove member={member} />
      </Group>
    ),
  },
];

const inTurn = createNewestLast();

function RoleOf({ member: { id, name, role } }: { member: Member }) {
  // Shown until what is stored has been asked for anew.
  const [chosen, setChosen] = useState<Role>();
  const choices = useRef(0);
  const { org, board } = useOrg();
  const confirm = useConfirm();
  const change = async (next: Role) => {
    const giveUp = { title: t.askToGiveUp, body: t.youLoseThesePages, action: t.giveUp, danger: true };
    const grant = { title: t.askToMakeAdmin(name), body: t.theyMayDoAll, action: t.makeAdmin };
    if (id === board.me.id && !(await confirm(giveUp))) return;
    if (next === "admin" && !(await confirm(grant))) return;
    setChosen(next);
    const choice = ++choices.current;
    try {
      const member = await inTurn(id, () =>
        call("PATCH /orgs/{org}/members/{id}", { path: { org, id }, json: { role: next } }),
      );
      if (!member) return;
      tellDone(t.roleChanged(name, t.roles[next]));
    } catch (error) {
      tellFailure(error);
    }
    await changed(questions.board(org));
    if (choice === choices.current) setChosen(undefined);
  };
  return (
    <NativeSelect
      aria-label={t.roleOf(name)}
      size="xs"
      data={ROLES}
      value={chosen ?? role}
      onChange={(event) => void change(event.currentTarget.value as Role)}
    />
  );
}

function Remove({ member: { id, name } }: { member: Member }) {
  const { org, board } = useOrg();
  const remove = useAction(() => call("DELETE /orgs/{org}/members/{id}", { path: { org, id } }), {
    ask: { title: t.askToRemoveMember(name), body: t.theyLoseAccess, action: t.remove, danger: true },
    changes: [questions.board(org)],
    done: t.isRemoved(name),
  });
  if (id === board.me.id) return null;
  return (
    <Button size="xs" variant="light" color="red" aria-label={t.removeNamed(name)} {...remove}>
      {t.remove}
    </Button>
  );
}

function EditForm({ member, done }: { member: Member; done: () => void }) {
  const { org, board } = useOrg();
  const [name, setName] = useState(member.name);
  const [group, setGroup] = useState(member.group ?? "");
  const [timeZone, setTimeZone] = useState(member.timeZone ?? "");
  const now = { name: name.trim(), group: group.trim() || null, timeZone: timeZone || null };
  const [shown, setShown] = useState(now);
  const isTypedSince = useTypedSince(now);
  const sendChanged = useSendChanged<typeof now>();
  const save = async () => {
    await sendChanged(shown, now, (json) =>
      call("PATCH /orgs/{org}/members/{id}", { path: { org, id: member.id }, json }),
    );
    setShown(now);
    await changed(questions.board(org));
    tellDone(t.saved);
    if (!isTypedSince()) done();
  };
  return (
    <ActionForm action={t.save} onSubmit={save} disabled={!name.trim()}>
      {(problem) => (
        <>
          <TextInput
            label={t.name}
            dir="auto"
            maxLength={200}
            data-autofocus
            value={name}
            error={problem("name")}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label={t.group}
            placeholder={t.groupHint}
            dir="auto"
            maxLength={80}
            value={group}
            error={problem("group")}
            onChange={(event) => setGroup(event.currentTarget.value)}
          />
          <NativeSelect
            label={t.timeZone}
            data={[
              { value: "", label: t.asTheOrganisation(zoneName(board.org.timeZone)) },
              ...zoneChoices(member.timeZone),
            ]}
            value={timeZone}
            error={problem("timeZone")}
            onChange={(event) => setTimeZone(event.currentTarget.value)}
          />
        </>
      )}
    </ActionForm>
  );
}

/** As many as the server takes in one request. */
const MAX_AT_ONCE = 50;

function Invite() {
  const { org } = useOrg();
  const [text, setText] = useState("");
  const [role, setRole] = useState<Role>("member");
  const [group, setGroup] = useState("");
  const emails = [...new Set(text.split(/[\s,;]+/).filter(Boolean))];
  const isTooMany = emails.length > MAX_AT_ONCE;
  const invite = async () => {
    await call("POST /orgs/{org}/invitations", {
      path: { org },
      json: { emails, role, ...(group.trim() ? { group: group.trim() } : {}) },
    });
    setText(emptied(text));
    await changed(questions.invitations(org));
    tellDone(count(emails.length, t.invited));
  };
  return (
    <Section title={t.inviteTitle} about={t.inviteAbout}>
      <ActionForm action={t.invite} onSubmit={invite} disabled={emails.length === 0 || isTooMany}>
        {(problem) => (
          <>
            <Textarea
              label={t.addresses}
              placeholder={t.addressesHint}
              autosize
              minRows={2}
              maxRows={8}
              value={text}
              error={isTooMany ? t.tooManyAtOnce(MAX_AT_ONCE, emails.length) : problem("emails")}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <NativeSelect
                label={t.role}
                data={ROLES}
                value={role}
                onChange={(event) => setRole(event.currentTarget.value as Role)}
              />
              <TextInput
                label={t.group}
                placeholder={t.groupHint}
                dir="auto"
                maxLength={80}
                value={group}
                error={problem("group")}
                onChange={(event) => setGroup(event.currentTarget.value)}
              />
            </SimpleGrid>
          </>
        )}
      </ActionForm>
    </Section>
  );
}

function Invitations() {
  const { org } = useOrg();
  const invitations = useQuery(questions.invitations(org));
  const now = useServerNow();
  const endOf = (time: string) =>
    Date.parse(time) <= now ? <Badge color="gray">{t.hasEnded}</Badge> : shortDate(time);
  const rows: Column<Invitation>[] = [
    { title: t.email, cell: ({ email }) => <bdi>{email}</bdi> },
    { title: t.role, cell: ({ role }) => t.roles[role] },
    { title: t.group, cell: ({ group }) => <bdi>{group}</bdi> },
    { title: t.invitedAt, cell: ({ createdAt }) => <Moment time={createdAt} /> },
    { title: t.expires, cell: ({ expiresAt }) => endOf(expiresAt) },
    { title: t.actions, actions: true, cell: (invitation) => <InvitationActions invitation={invitation} /> },
  ];
  return (
    <Section title={t.openInvitations}>
      <Loaded query={invitations}>
        {(open) => (
          <DataTable
            caption={t.openInvitations}
            columns={rows}
            rows={open}
            rowKey={({ id }) => id}
            empty={<EmptyState title={t.noInvitations} />}
          />
        )}
      </Loaded>
    </Section>
  );
}

function InvitationActions({ invitation: { id, email } }: { invitation: Invitation }) {
  const { org } = useOrg();
  const path = { org, id };
  const resend = useAction(() => call("POST /orgs/{org}/invitations/{id}/resend", { path }), {
    changes: [questions.invitations(org)],
    done: t.isResent(email),
  });
  const withdraw = useAction(() => call("DELETE /orgs/{org}/invitations/{id}", { path }), {
    changes: [questions.invitations(org)],
    done: t.isWithdrawn,
  });
  return (
    <Group gap="xs" wrap="nowrap">
      <Button size="xs" variant="default" aria-label={t.resendTo(email)} {...resend}>
        {t.resend}
      </Button>
      <Button size="xs" variant="light" color="red" aria-label={t.withdrawFrom(email)} {...withdraw}>
        {t.withdraw}
      </Button>
    </Group>
  );
}
