import {
  exactTime,
  Loaded,
  NotFoundPage,
  Page,
  Section,
  ShownOnce,
  tellDone,
  useAction,
  useNavigateIfMounted,
} from "@frontdesk/ui";
import { Alert, Badge, Button, Group } from "@mantine/core";
import { ExclamationTriangleIcon } from "@radix-ui/react-icons";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, questions } from "../api.ts";
import { Deliveries } from "../deliveries.tsx";
import { useOrg } from "../org.ts";
import { useSendChanged } from "../send-changed.ts";
import { changed } from "../session.ts";
import type { EventName, Webhook } from "../shapes.ts";
import { WebhookForm } from "../webhook-forms.tsx";
import { t } from "../words/admin.ts";
import { STATE_COLOURS } from "./webhooks.tsx";

export function WebhookPage({ id }: { id: string }) {
  const { org } = useOrg();
  const webhooks = useQuery(questions.webhooks(org));
  const home = { name: t.toTheWebhooks, path: `/${org}/admin/webhooks` };
  return (
    <Loaded query={webhooks}>
      {(all) => {
        const webhook = all.find((each) => each.id === id);
        return webhook ? <OneWebhook webhook={webhook} /> : <NotFoundPage home={home} what={t.webhook} />;
      }}
    </Loaded>
  );
}

function OneWebhook({ webhook }: { webhook: Webhook }) {
  const { org } = useOrg();
  const navigate = useNavigateIfMounted();
  const { id, url, events, state, disabledReason, failingSince } = webhook;
  const path = { org, id };
  const changes = [questions.webhooks(org)];
  const log = { queryKey: ["deliveries", org, id] };
  const [secret, setSecret] = useState<string>();
  const [testedAt, setTestedAt] = useState<number>();
  const isActive = state === "active";
  const toggle = useAction(
    () => call("PATCH /orgs/{org}/webhooks/{id}", { path, json: { state: isActive ? "paused" : "active" } }),
    { changes, done: isActive ? t.isPaused : t.isResumed },
  );
  const test = useAction(() => call("POST /orgs/{org}/webhooks/{id}/test", { path }), {
    changes: [log],
    done: t.isSent,
    after: () => setTestedAt(Date.now()),
  });
  const rotate = useAction(() => call("POST /orgs/{org}/webhooks/{id}/rotate", { path }), {
    ask: { title: t.askToRotate, body: t.oldSigns24h, action: t.rotate },
    changes,
    after: (reply) => setSecret(reply.secret),
    secret: t.theSecret,
  });
  const remove = useAction(() => call("DELETE /orgs/{org}/webhooks/{id}", { path }), {
    ask: { title: t.askToRemoveWebhook, body: t.logGoes, action: t.remove, danger: true },
    done: t.webhookRemoved,
    after: () => {
      navigate(`/${org}/admin/webhooks`);
      void changed(...changes);
    },
  });
  const sendChanged = useSendChanged<{ url: string; events: EventName[] }>();
  const save = async (now: { url: string; events: EventName[] }) => {
    await sendChanged({ url, events: events as EventName[] }, now, (json) =>
      call("PATCH /orgs/{org}/webhooks/{id}", { path, json }),
    );
    await changed(...changes);
    tellDone(t.saved);
  };
  return (
    <Page
      title={hostOf(url)}
      above={[{ name: t.webhooks, path: `/${org}/admin/webhooks` }]}
      intro={<Badge color={STATE_COLOURS[state]}>{t.states[state]}</Badge>}
      wide
      actions={
        <Group gap="xs">
          <Button variant="default" {...test}>
            {t.test}
          </Button>
          <Button variant="default" {...toggle}>
            {isActive ? t.pause : t.resume}
          </Button>
          <Button variant="default" {...rotate}>
            {t.rotate}
          </Button>
          <Button variant="light" color="red" {...remove}>
            {t.remove}
          </Button>
        </Group>
      }
    >
      <ShownOnce
        title={t.secretTitle}
        about={t.copySecret}
        what={t.theSecret}
        secret={secret}
        onClose={() => setSecret(undefined)}
      />
      {(disabledReason !== null || failingSince !== null) && (
        <Alert color="clay" icon={<ExclamationTriangleIcon />}>
          {disabledReason ?? `${t.failingSince} ${exactTime(failingSince ?? 0)}`}
        </Alert>
      )}
      <Deliveries webhook={id} testedAt={testedAt} />
      <Section title={t.whatAndWhere}>
        <WebhookForm action={t.save} url={url} events={events} onSubmit={save} />
      </Section>
    </Page>
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
