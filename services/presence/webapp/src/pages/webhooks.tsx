import { type Column, DataTable, EmptyState, Loaded, Moment, Page, Section, ShownOnce } from "@frontdesk/ui";
import { Anchor, Badge } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { call, questions } from "../api.ts";
import { useOrg } from "../org.ts";
import { changed } from "../session.ts";
import type { EventName, Webhook } from "../shapes.ts";
import { WebhookForm } from "../webhook-forms.tsx";
import { t } from "../words/admin.ts";

export const STATE_COLOURS = { active: "pine", paused: "gray", disabled: "red" } as const;

export function WebhooksPage() {
  const { org } = useOrg();
  const webhooks = useQuery(questions.webhooks(org));
  const [secret, setSecret] = useState<string>();
  const make = async (json: { url: string; events: EventName[] }) => {
    const reply = await call("POST /orgs/{org}/webhooks", { path: { org }, json });
    setSecret(reply.secret);
    await changed(questions.webhooks(org));
  };
  const columns: Column<Webhook>[] = [
    {
      title: t.url,
      cell: ({ id, url }) => (
        <Anchor
          component={Link}
          href={`/${org}/admin/webhooks/${id}`}
          size="sm"
          style={{ overflowWrap: "anywhere" }}
        >
          {url}
        </Anchor>
      ),
    },
    {
      title: t.events,
      cell: ({ events }) =>
        events.length === 0 ? t.allEvents : events.map((type) => wordsOf(type)).join(", "),
    },
    { title: t.state, cell: ({ state }) => <Badge color={STATE_COLOURS[state]}>{t.states[state]}</Badge> },
    {
      title: t.failingSince,
      cell: ({ failingSince }) => failingSince !== null && <Moment time={failingSince} />,
    },
  ];
  return (
    <Page title={t.webhooks} intro={t.webhooksIntro} wide>
      <ShownOnce
        title={t.secretTitle}
        about={t.copySecret}
        what={t.theSecret}
        secret={secret}
        onClose={() => setSecret(undefined)}
      />
      <Section title={t.webhooks}>
        <Loaded query={webhooks}>
          {(rows) => (
            <DataTable
              caption={t.webhooks}
              columns={columns}
              rows={rows}
              rowKey={({ id }) => id}
              empty={<EmptyState title={t.noWebhooks}>{t.makeOneBelow}</EmptyState>}
            />
          )}
        </Loaded>
      </Section>
      <Section title={t.newWebhook}>
        <WebhookForm action={t.makeWebhook} onSubmit={make} secret={t.theSecret} />
      </Section>
    </Page>
  );
}

export const wordsOf = (type: string): string =>
  (t.eventWords as Readonly<Record<string, string>>)[type] ?? type;
