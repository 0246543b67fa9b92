import {
  ActionForm,
  type Column,
  DataTable,
  EmptyState,
  Loaded,
  lazyPage,
  Moment,
  Section,
  ShownOnce,
  shortDate,
  useAction,
} from "@frontdesk/ui";
import { Button, NativeSelect, SimpleGrid, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { call, questions, type Role, type TokenRow } from "./api.ts";
import { changed } from "./session.ts";
import { t } from "./words/users.ts";

const DateTimeInput = lazyPage(() => import("@frontdesk/ui/date-inputs").then((part) => part.DateTimeInput));

export const ROLE_CHOICES = Object.entries(t.roles).map(([value, label]) => ({ value, label }));

const columns: Column<TokenRow>[] = [
  { title: t.name, cell: ({ name }) => <bdi>{name}</bdi> },
  { title: t.role, cell: ({ role }) => t.roles[role] },
  { title: t.madeBy, cell: ({ created_by }) => <bdi>{created_by}</bdi> },
  { title: t.expires, cell: ({ expires_at }) => endOf(expires_at) },
  {
    title: t.lastUsed,
    cell: ({ last_used_at }) => (last_used_at ? <Moment time={last_used_at} /> : t.never),
  },
  { title: t.actions, actions: true, cell: (token) => <Revoke token={token} /> },
];

function endOf(time: string | null): string {
  if (time === null) return t.doesNotEnd;
  return Date.parse(time) <= Date.now() ? t.hasEnded : shortDate(time);
}

/** What programs sign in with. */
export function Tokens() {
  const tokens = useQuery(questions.tokens);
  return (
    <Section title={t.tokens} about={t.aboutTokens}>
      <Loaded query={tokens}>
        {(rows) => (
          <DataTable
            caption={t.tokens}
            columns={columns}
            rows={rows}
            rowKey={({ id }) => id}
            empty={<EmptyState title={t.noTokens}>{t.noTokensYet}</EmptyState>}
          />
        )}
      </Loaded>
      <NewToken />
    </Section>
  );
}

function Revoke({ token: { id, name } }: { token: TokenRow }) {
  const revoke = useAction(() => call("DELETE /tokens/{id}", { path: { id } }), {
    ask: { title: t.askToRevoke(name), body: t.programsAreRefused, action: t.revoke, danger: true },
    changes: [questions.tokens, { queryKey: ["audit"] }],
    done: t.isRevoked(name),
  });
  return (
    <Button size="xs" variant="light" color="red" aria-label={t.revokeNamed(name)} {...revoke}>
      {t.revoke}
    </Button>
  );
}

function NewToken() {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [end, setEnd] = useState<string | null>(null);
  const [made, setMade] = useState<{ name: string; token: string }>();
  const make = async () => {
    const token = await call("POST /tokens", { json: { name: name.trim(), role, expires_at: end } });
    setMade(token);
    // The next one may be typed already.
    setName((now) => (now === name ? "" : now));
    setEnd((now) => (now === end ? null : now));
    await changed(questions.tokens, { queryKey: ["audit"] });
  };
  return (
    <>
      <ShownOnce
        title={t.tokenOf(made?.name ?? "")}
        about={t.copyItNow}
        what={t.theToken}
        secret={made?.token}
        onClose={() => setMade(undefined)}
      />
      <ActionForm action={t.makeAToken} onSubmit={make} secret={t.theToken} disabled={!name.trim()}>
        {(problem) => (
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <TextInput
              label={t.name}
              dir="auto"
              maxLength={100}
              value={name}
              error={problem("name")}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <NativeSelect
              label={t.role}
              data={ROLE_CHOICES}
              value={role}
              onChange={(event) => setRole(event.currentTarget.value as Role)}
            />
            <Suspense>
              <DateTimeInput
                label={t.endsAt}
                value={end}
                onChange={setEnd}
                min={new Date().toISOString()}
                {...(problem("expires_at") ? { error: problem("expires_at") as string } : {})}
              />
            </Suspense>
          </SimpleGrid>
        )}
      </ActionForm>
    </>
  );
}
