import {
  ActionForm,
  type Column,
  DataTable,
  EmptyState,
  emptied,
  Loaded,
  Moment,
  Page,
  Section,
  ShownOnce,
  shortDate,
  useAction,
  useOnceAnswered,
} from "@frontdesk/ui";
import { Badge, Button, Checkbox, Group, NativeSelect, SimpleGrid, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, questions } from "../api.ts";
import { useOrg } from "../org.ts";
import { useServerNow } from "../server-now.ts";
import { changed } from "../session.ts";
import type { ScopeName, Token } from "../shapes.ts";
import { t } from "../words/admin.ts";

const ENDS = Object.entries(t.tokenEnds).map(([value, label]) => ({ value, label }));
const SCOPES = Object.entries(t.scopeWords) as ReadonlyArray<[ScopeName, string]>;

const columnsAt = (now: number): Column<Token>[] => [
  {
    title: t.integration,
    cell: ({ integration, name }) => <bdi>{name ? `${integration} · ${name}` : integration}</bdi>,
  },
  {
    title: t.scopes,
    cell: ({ scopes }) => (
      <Group gap={4}>
        {scopes.map((scope) => (
          <Badge key={scope} size="sm" color="gray">
            {scope}
          </Badge>
        ))}
      </Group>
    ),
  },
  { title: t.expires, cell: (token) => endOf(token, now) },
  {
    title: t.lastUsed,
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? t.notYet : <Moment time={lastUsedAt} />),
  },
  { title: t.actions, actions: true, cell: (token) => <Revoke token={token} /> },
];

function endOf({ expiresAt, revokedAt }: Token, now: number): string {
  if (revokedAt !== null) return t.isRevokedBadge;
  if (expiresAt === null) return t.never;
  return Date.parse(expiresAt) <= now ? t.hasEnded : shortDate(expiresAt);
}

export function IntegrationsPage() {
  const { org } = useOrg();
  const tokens = useQuery(questions.tokens(org));
  const isAnswered = useOnceAnswered(tokens.isPending);
  const now = useServerNow();
  return (
    <Page title={t.integrations} intro={t.integrationsIntro} wide>
      <Section title={t.tokens}>
        <Loaded query={tokens}>
          {(rows) => (
            <DataTable
              caption={t.tokens}
              columns={columnsAt(now)}
              rows={rows}
              rowKey={({ id }) => id}
              empty={<EmptyState title={t.noTokens}>{t.makeOneBelow}</EmptyState>}
            />
          )}
        </Loaded>
      </Section>
      {isAnswered && <NewToken />}
    </Page>
  );
}

function Revoke({ token: { id, integration, name, revokedAt } }: { token: Token }) {
  const { org } = useOrg();
  const called = name || integration;
  const revoke = useAction(() => call("DELETE /orgs/{org}/tokens/{id}", { path: { org, id } }), {
    ask: { title: t.askToRevoke(called), body: t.refusedAtOnce, action: t.revoke, danger: true },
    changes: [questions.tokens(org)],
    done: t.isRevoked,
  });
  if (revokedAt !== null) return null;
  return (
    <Button size="xs" variant="light" color="red" aria-label={t.revokeNamed(called)} {...revoke}>
      {t.revoke}
    </Button>
  );
}

function NewToken() {
  const { org } = useOrg();
  const [integration, setIntegration] = useState("");
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<ScopeName[]>([]);
  const [ends, setEnds] = useState("90");
  const [made, setMade] = useState<{ name: string; token: string }>();
  const make = async () => {
    const { token, record } = await call("POST /orgs/{org}/tokens", {
      path: { org },
      json: {
        integration: integration.trim(),
        scopes,
        expiresInDays: ends === "never" ? null : Number(ends),
        ...(name.trim() ? { name: name.trim() } : {}),
      },
    });
    setMade({ name: record.name || record.integration, token });
    setIntegration(emptied(integration));
    setName(emptied(name));
    setScopes((now) => (now === scopes ? [] : now));
    await changed(questions.tokens(org));
  };
  return (
    <Section title={t.newToken}>
      <ShownOnce
        title={t.tokenOf(made?.name ?? "")}
        about={t.copyToken}
        what={t.theToken}
        secret={made?.token}
        onClose={() => setMade(undefined)}
      />
      <ActionForm
        action={t.makeToken}
        onSubmit={make}
        secret={t.theToken}
        disabled={!integration.trim() || scopes.length === 0}
      >
        {(problem) => (
          <>
            <SimpleGrid cols={{ base: 1, sm: 3 }}>
              <TextInput
                label={t.integration}
                description={t.integrationAbout}
                inputWrapperOrder={["label", "input", "description", "error"]}
                placeholder={t.integrationHint}
                maxLength={63}
                spellCheck={false}
                autoCapitalize="none"
                value={integration}
                error={problem("integration")}
                onChange={(event) => setIntegration(event.currentTarget.value)}
              />
              <TextInput
                label={t.tokenName}
                dir="auto"
                maxLength={100}
                value={name}
                error={problem("name")}
                onChange={(event) => setName(event.currentTarget.value)}
              />
              <NativeSelect
                label={t.endsAfter}
                data={ENDS}
                value={ends}
                onChange={(event) => setEnds(event.currentTarget.value)}
              />
            </SimpleGrid>
            <Checkbox.Group
              label={t.scopes}
              value={scopes}
              error={problem("scopes")}
              onChange={(next) => setScopes(next as ScopeName[])}
            >
              <SimpleGrid cols={{ base: 1, sm: 2 }} spacing={6} mt={6}>
                {SCOPES.map(([scope, words]) => (
                  <Checkbox key={scope} value={scope} label={words} description={scope} />
                ))}
              </SimpleGrid>
            </Checkbox.Group>
          </>
        )}
      </ActionForm>
    </Section>
  );
}
