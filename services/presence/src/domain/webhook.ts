import { randomBytes } from "node:crypto";
import { refuse } from "./codes.ts";
import type { EventRecord, SigningWebhook, WebhookRecord } from "./records.ts";
import { EVENT_TYPES, type EventType } from "./resources.ts";
import type { Unit } from "./unit.ts";

const MAX_WEBHOOKS = 200;
/** How long the secret from before a rotation signs beside the new one. */
export const OLD_SECRET_MS = 24 * 60 * 60_000;
/** Of one that is rotated again and again within a day. */
const MAX_OLD_SECRETS = 4;

/** The secret in the form of Standard Webhooks. */
const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

/** A webhook hears of everything from its creation on. */
export async function createWebhook(
  unit: Unit,
  wanted: {
    url: string;
    events: readonly EventType[];
    /** Why nothing could be sent to a URL, as far as that is known before. */
    refusedUrl?: (url: string) => string | undefined;
  },
): Promise<SigningWebhook> {
  const refusal = wanted.refusedUrl?.(webhookUrl(wanted.url));
  if (refusal) throw refuse("invalid", `${refusal}.`);
  if ((await unit.webhooks.count()) >= MAX_WEBHOOKS) throw refuse("too_many_webhooks");
  const webhook: SigningWebhook = {
    id: unit.newId(),
    url: webhookUrl(wanted.url),
    events: wanted.events,
    secret: newSecret(),
    previousSecrets: [],
    previousUntil: null,
    state: "active",
    disabledReason: null,
    failingSince: null,
    cursor: unit.org.sequence,
    createdAt: unit.now,
  };
  await unit.webhooks.save(webhook);
  unit.audit("webhook.created", webhook.id, { url: new URL(webhook.url).origin, events: webhook.events });
  return webhook;
}

/** A new secret; the old one, if it can be opened, signs beside it for a day, and so does what still signed beside that. */
export async function rotateSecret(unit: Unit, id: string): Promise<SigningWebhook> {
  const webhook = await existing(unit, id);
  const isLive = webhook.previousUntil !== null && webhook.previousUntil > unit.now;
  const previous = isLive ? webhook.previousSecrets : [];
  const next = {
    ...webhook,
    secret: newSecret(),
    previousSecrets: (webhook.secret === null ? previous : [webhook.secret, ...previous]).slice(
      0,
      MAX_OLD_SECRETS,
    ),
    previousUntil: unit.now + OLD_SECRET_MS,
  };
  await unit.webhooks.save(next);
  unit.audit("webhook.rotated", id);
  return next;
}

/** What happened while it was paused or disabled is sent when it is active again, as far as it is kept. */
export async function setWebhookState(unit: Unit, id: string, state: "active" | "paused"): Promise<void> {
  const webhook = await existing(unit, id);
  if (state === "active" && webhook.secret === null) throw refuse("secret_sealed");
  if (webhook.state === state && (state === "paused" || webhook.failingSince === null)) return;
  const fresh = state === "active" ? { disabledReason: null, failingSince: null } : {};
  await unit.webhooks.save({ ...webhook, ...fresh, state });
  unit.audit(state === "active" ? "webhook.resumed" : "webhook.paused", id);
}

/** Changes what is named; what was sent before stays in the log. */
export async function changeWebhook(
  unit: Unit,
  id: string,
  wanted: {
    readonly url?: string;
    readonly events?: readonly EventType[];
    readonly state?: "active" | "paused";
    readonly refusedUrl?: (url: string) => string | undefined;
  },
): Promise<void> {
  const webhook = await existing(unit, id);
  const url = wanted.url === undefined ? webhook.url : webhookUrl(wanted.url);
  const refusal = wanted.url === undefined ? undefined : wanted.refusedUrl?.(url);
  if (refusal) throw refuse("invalid", `${refusal}.`);
  const events = wanted.events ?? webhook.events;
  if (url !== webhook.url || events.join() !== webhook.events.join()) {
    await unit.webhooks.save({ ...webhook, url, events });
    unit.audit("webhook.changed", id, { url: new URL(url).origin, events });
  }
  if (wanted.state !== undefined) await setWebhookState(unit, id, wanted.state);
}

export async function removeWebhook(unit: Unit, id: string): Promise<void> {
  await existing(unit, id);
  await unit.webhooks.delete(id);
  unit.audit("webhook.removed", id);
}

/** Sends `webhook.test` to this webhook alone, whatever its filter. */
export async function testWebhook(unit: Unit, id: string): Promise<void> {
  const { url } = await existing(unit, id);
  // Any token that reads events sees this, and a webhook's path or query may hold a secret.
  unit.emit("webhook.test", { webhook: { id, url: new URL(url).origin } });
}

/** Sends deliveries again whose events are kept; answers how many. */
export async function redeliver(
  unit: Unit,
  id: string,
  which: { deliveryId: string } | { failedSince: number },
): Promise<number> {
  await existing(unit, id);
  const count = await unit.webhooks.redeliver(id, which);
  if (count === 0 && "deliveryId" in which) {
    const isLogged = await unit.webhooks.hasDelivery(id, which.deliveryId);
    throw refuse(isLogged ? "event_gone" : "delivery_not_found");
  }
  if (count > 0) unit.audit("webhook.redelivered", id, { deliveries: count });
  return count;
}

export function matches(webhook: Pick<WebhookRecord, "id" | "events">, event: EventRecord): boolean {
  if (event.type === "webhook.test") return JSON.parse(event.data).webhook.id === webhook.id;
  return webhook.events.length === 0 || webhook.events.includes(event.type);
}

/** Reads `a,b`, or `all` for every type. */
export function parseEventTypes(words: readonly string[]): EventType[] {
  if (words.length === 0 || (words.length === 1 && words[0] === "all")) return [];
  const unknown = words.find((word) => !(EVENT_TYPES as readonly string[]).includes(word));
  if (unknown !== undefined) {
    throw refuse("invalid", `"${unknown}" is not an event type. The types are ${EVENT_TYPES.join(", ")}.`);
  }
  return [...new Set(words as EventType[])];
}

function webhookUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !["http:", "https:"].includes(url.protocol) || text.length > 2_000) {
    throw refuse("invalid", `A webhook's URL begins with https:// or http://, not "${text}".`);
  }
  if (url.username || url.password)
    throw refuse("invalid", "A webhook's URL holds no user name or password.");
  url.hash = "";
  return url.href;
}

/** Whether it can be signed for; what is not signed is not sent. */
export const canSign = (webhook: WebhookRecord): webhook is SigningWebhook => webhook.secret !== null;

async function existing(unit: Unit, id: string): Promise<WebhookRecord> {
  const webhook = await unit.webhooks.find(id);
  if (!webhook) throw refuse("webhook_not_found");
  return webhook;
}
