import { ActionForm } from "@frontdesk/ui";
import { Checkbox, SimpleGrid, TextInput } from "@mantine/core";
import { useState } from "react";
import type { EventName } from "./shapes.ts";
import { t } from "./words/admin.ts";

/** What a webhook may be told of; tests are sent by hand. */
const EVENTS = Object.entries(t.eventWords).filter(([type]) => type !== "webhook.test");

/** Where a webhook goes, and what it is told. What was not typed here follows what is stored. */
export function WebhookForm(props: {
  action: string;
  url?: string;
  events?: readonly string[];
  /** What saving it makes that is told once. */
  secret?: string;
  onSubmit: (webhook: { url: string; events: EventName[] }) => Promise<unknown>;
}) {
  const [typed, setTyped] = useState<{ url?: string; events?: string[] }>({});
  const url = typed.url ?? props.url ?? "";
  const events = typed.events ?? [...(props.events ?? [])];
  const submit = async () => {
    await props.onSubmit({ url: url.trim(), events: events as EventName[] });
    setTyped((now) => (now === typed ? {} : now));
  };
  return (
    <ActionForm
      action={props.action}
      onSubmit={submit}
      disabled={!url.trim()}
      {...(props.secret ? { secret: props.secret } : {})}
    >
      {(problem) => (
        <>
          <TextInput
            label={t.url}
            placeholder={t.urlHint}
            type="url"
            spellCheck={false}
            maxLength={2_000}
            value={url}
            error={problem("url")}
            onChange={({ currentTarget: { value } }) => setTyped((before) => ({ ...before, url: value }))}
          />
          <Checkbox.Group
            label={t.events}
            description={t.eventsAbout}
            value={events}
            error={problem("events")}
            onChange={(value) => setTyped((before) => ({ ...before, events: value }))}
          >
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing={6} mt={8}>
              {EVENTS.map(([type, words]) => (
                <Checkbox key={type} value={type} label={words} description={type} />
              ))}
            </SimpleGrid>
          </Checkbox.Group>
        </>
      )}
    </ActionForm>
  );
}
