import {
  ActionForm,
  type Column,
  createNewestLast,
  DataTable,
  LateDialog,
  Loaded,
  Moment,
  Page,
  Section,
  tellDone,
  tellFailure,
  useAction,
  useConfirm,
  useOpening,
} from "@frontdesk/ui";
import {
  Badge,
  Button,
  Group,
  NativeSelect,
  PasswordInput,
  SimpleGrid,
  Text,
  TextInput,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { call, questions, type Role, type UserRow } from "../api.ts";
import { Audit } from "../audit.tsx";
import { changed } from "../session.ts";
import { ROLE_CHOICES, Tokens } from "../tokens.tsx";
import { t } from "../words/users.ts";

const CHANGES = [questions.users, { queryKey: ["audit"] }];
const MIN_PASSWORD = 10;

export function UsersPage() {
  const users = useQuery(questions.users);
  return (
    <Page title={t.users} intro={t.intro} wide>
      <Section title={t.accounts} about={t.whatRolesMay}>
        <Loaded query={users}>
          {(rows) => (
            <DataTable
              caption={t.accounts}
              columns={columns}
              rows={rows}
              rowKey={({ username }) => username}
            />
          )}
        </Loaded>
      </Section>
      <NewUser />
      <Tokens />
      <Audit />
    </Page>
  );
}

const columns: Column<UserRow>[] = [
  { title: t.userName, cell: (user) => <Name user={user} /> },
  { title: t.role, cell: (user) => <RoleOf user={user} /> },
  {
    title: t.lastSignIn,
    cell: ({ last_sign_in_at }) => (last_sign_in_at ? <Moment time={last_sign_in_at} /> : t.never),
  },
  {
    title: t.actions,
    actions: true,
    cell: (user) => (
      <Group gap="xs" wrap="nowrap">
        <NewPassword user={user} />
        <Remove user={user} />
      </Group>
    ),
  },
];

const useIsMe = (username: string) => useQuery(questions.me).data?.username === username;

function Name({ user: { username } }: { user: UserRow }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <bdi>{username}</bdi>
      {useIsMe(username) && (
        <Badge size="sm" color="gray">
          {t.you}
        </Badge>
      )}
    </Group>
  );
}

const inTurn = createNewestLast();

function RoleOf({ user: { username, role } }: { user: UserRow }) {
  // Shown until what is stored has been asked for anew.
  const [chosen, setChosen] = useState<Role>();
  const choices = useRef(0);
  const isMe = useIsMe(username);
  const confirm = useConfirm();
  const change = async (next: Role) => {
    const giveUp = { title: t.askToGiveUpAdmin, body: t.youLoseThesePages, action: t.giveItUp, danger: true };
    const grant = { title: t.askToMakeAdmin(username), body: t.theyMayDoAll, action: t.makeAdmin };
    if (isMe && !(await confirm(giveUp))) return;
    if (next === "admin" && !(await confirm(grant))) return;
    setChosen(next);
    const choice = ++choices.current;
    try {
      const user = await inTurn(username, () =>
        call("PATCH /users/{username}", { path: { username }, json: { role: next } }),
      );
      if (!user) return;
      tellDone(t.roleIsChanged(username, t.roles[next]));
    } catch (error) {
      tellFailure(error);
    }
    await changed(...CHANGES, ...(isMe ? [questions.me] : []));
    if (choice === choices.current) setChosen(undefined);
  };
  return (
    <NativeSelect
      aria-label={t.roleOf(username)}
      size="xs"
      data={ROLE_CHOICES}
      value={chosen ?? role}
      onChange={(event) => void change(event.currentTarget.value as Role)}
    />
  );
}

function Remove({ user: { username } }: { user: UserRow }) {
  const remove = useAction(() => call("DELETE /users/{username}", { path: { username } }), {
    ask: { title: t.askToRemove(username), body: t.theySignedOutAtOnce, action: t.remove, danger: true },
    changes: CHANGES,
    done: t.isRemoved(username),
  });
  return (
    <Button size="xs" variant="light" color="red" aria-label={t.removeNamed(username)} {...remove}>
      {t.remove}
    </Button>
  );
}

function NewPassword({ user: { username } }: { user: UserRow }) {
  const { opened, open, close } = useOpening();
  return (
    <>
      <Button size="xs" variant="default" aria-label={t.newPasswordFor(username)} onClick={open}>
        {t.newPassword}
      </Button>
      <LateDialog opened={opened} onClose={close} title={t.newPasswordFor(username)}>
        <NewPasswordForm username={username} done={close} />
      </LateDialog>
    </>
  );
}

function NewPasswordForm({ username, done }: { username: string; done: () => void }) {
  const [password, setPassword] = useState("");
  const set = async () => {
    await call("PATCH /users/{username}", { path: { username }, json: { password } });
    await changed(...CHANGES);
    tellDone(t.passwordIsSet(username));
    done();
  };
  return (
    <ActionForm action={t.setThePassword} onSubmit={set} disabled={password.length < MIN_PASSWORD}>
      <Text size="sm">{t.whoGetsANewPassword}</Text>
      <PasswordField value={password} onChange={setPassword} />
    </ActionForm>
  );
}

function PasswordField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <PasswordInput
      label={t.password}
      description={t.atLeast}
      inputWrapperOrder={["label", "input", "description", "error"]}
      autoComplete="new-password"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      visibilityToggleButtonProps={{ "aria-label": t.showThePassword }}
    />
  );
}

function NewUser() {
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const add = async () => {
    const user = await call("POST /users", { json: { username: username.trim(), password, role } });
    // The next one may be typed already.
    setUsername((now) => (now === username ? "" : now));
    setPassword((now) => (now === password ? "" : now));
    await changed(...CHANGES);
    tellDone(t.isAdded(user.username));
  };
  const isReady = username.trim() !== "" && password.length >= MIN_PASSWORD;
  return (
    <Section title={t.addAUser}>
      <ActionForm action={t.addAUser} onSubmit={add} disabled={!isReady}>
        {(problem) => (
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <TextInput
              label={t.userName}
              autoComplete="off"
              spellCheck={false}
              maxLength={64}
              value={username}
              error={problem("username")}
              onChange={(event) => setUsername(event.currentTarget.value)}
            />
            <PasswordField value={password} onChange={setPassword} />
            <NativeSelect
              label={t.role}
              data={ROLE_CHOICES}
              value={role}
              onChange={(event) => setRole(event.currentTarget.value as Role)}
            />
          </SimpleGrid>
        )}
      </ActionForm>
    </Section>
  );
}
