import { type Static, Type } from "typebox";
import type { AppReadModel, DeliveryRow, WebhookRow } from "../domain/app-read-model.ts";
import { isoTime, isoTimeOrNull } from "../domain/clock-text.ts";
import { refuse } from "../domain/codes.ts";
import { timeOf } from "../domain/status-end.ts";
import {
  changeWebhook,
  createWebhook,
  redeliver,
  removeWebhook,
  rotateSecret,
  testWebhook,
} from "../domain/webhook.ts";
import {
  AppWebhook,
  AppWebhookList,
  type Delivery,
  DeliveryDetail,
  DeliveryPage,
  DeliveryQuery,
  NewWebhook,
  RedeliverBody,
  RedeliverCount,
  RedeliverQuery,
  WebhookMade,
  WebhookPatch,
} from "./app-admin-schemas.ts";
import { colleagueOf } from "./app-gate.ts";
import type { AppRoutes } from "./app-parts.ts";
import { IdParams } from "./app-status-routes.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { OrgParams, words } from "./requests.ts";
import { DEFAULT_LIMIT } from "./routes.ts";

const tags = ["Webhooks"];
const DeliveryParams = Type.Object({ org: words(63), id: words(100), delivery: words(100) });

const webhookView = ({ state, events, ...webhook }: WebhookRow): Static<typeof AppWebhook> => ({
  ...webhook,
  events: [...events],
  state: state === "removed" ? "disabled" : state,
});

const deliveryView = (delivery: DeliveryRow): Delivery => ({
  ...delivery,
  createdAt: isoTime(delivery.createdAt),
  updatedAt: isoTime(delivery.updatedAt),
  nextAttemptAt: isoTimeOrNull(delivery.nextAttemptAt),
});

async function webhookOf(reader: AppReadModel, orgId: string, id: string) {
  const found = (await reader.webhookList(orgId)).find((webhook) => webhook.id === id);
  if (!found) throw refuse("webhook_not_found");
  return webhookView(found);
}

export const appWebhookRoutes: AppRoutes = (app, { desk, appReader, refusedUrl }) => {
  app.get(
    "/orgs/:org/webhooks",
    {
      schema: {
        summary: "Every webhook, without its secret",
        tags,
        params: OrgParams,
        response: { 200: AppWebhookList },
      },
    },
    async (request) => ({
      data: (await appReader.webhookList(colleagueOf(request).org.id)).map(webhookView),
    }),
  );
  app.post(
    "/orgs/:org/webhooks",
    {
      schema: {
        summary: "Create a webhook; its secret is shown this once",
        tags,
        params: OrgParams,
        body: NewWebhook,
        response: { 201: WebhookMade },
        "x-problems": [409],
      },
    },
    async (request, reply) => {
      const { org, actor } = colleagueOf(request);
      const { url, events } = request.body;
      const { id, secret } = await desk.change(org.id, actor, (unit) =>
        createWebhook(unit, { url, events, refusedUrl }),
      );
      return reply.code(201).send({ webhook: await webhookOf(appReader, org.id, id), secret });
    },
  );
  app.patch(
    "/orgs/:org/webhooks/:id",
    {
      schema: {
        summary: "Change where a webhook goes and what it hears of; pause it or go on",
        tags,
        params: IdParams,
        body: WebhookPatch,
        response: { 200: AppWebhook },
        "x-problems": [409],
      },
    },
    async (request) => {
      const { org, actor } = colleagueOf(request);
      const { id } = request.params;
      await desk.change(org.id, actor, (unit) => changeWebhook(unit, id, { ...request.body, refusedUrl }));
      return webhookOf(appReader, org.id, id);
    },
  );
  app.delete(
    "/orgs/:org/webhooks/:id",
    {
      schema: {
        summary: "Remove a webhook and its log",
        tags,
        params: IdParams,
        response: { 204: Type.Null({ description: "Removed" }) },
      },
    },
    async (request, reply) => {
      const { org, actor } = colleagueOf(request);
      await desk.change(org.id, actor, (unit) => removeWebhook(unit, request.params.id));
      return reply.code(204).send(null);
    },
  );
  app.post(
    "/orgs/:org/webhooks/:id/rotate",
    {
      schema: {
        summary: "Give a webhook a new secret, shown this once; the old one signs beside it for a day",
        tags,
        params: IdParams,
        response: { 200: WebhookMade },
      },
    },
    async (request) => {
      const { org, actor } = colleagueOf(request);
      const { id } = request.params;
      const { secret } = await desk.change(org.id, actor, (unit) => rotateSecret(unit, id));
      return { webhook: await webhookOf(appReader, org.id, id), secret };
    },
  );
  app.post(
    "/orgs/:org/webhooks/:id/test",
    {
      schema: {
        summary: "Send webhook.test to it",
        tags,
        params: IdParams,
        response: { 204: Type.Null({ description: "On its way" }) },
      },
    },
    async (request, reply) => {
      const { org, actor } = colleagueOf(request);
      await desk.change(org.id, actor, (unit) => testWebhook(unit, request.params.id));
      return reply.code(204).send(null);
    },
  );

  app.get(
    "/orgs/:org/webhooks/:id/deliveries",
    {
      schema: {
        summary: "What was sent to a webhook and what became of it, newest first",
        tags,
        params: IdParams,
        querystring: DeliveryQuery,
        response: { 200: DeliveryPage },
      },
    },
    async (request) => {
      const { org } = colleagueOf(request);
      const { id } = await webhookOf(appReader, org.id, request.params.id);
      const { cursor, limit = DEFAULT_LIMIT, since, until, ...filter } = request.query;
      const before = cursor === undefined ? undefined : decodeCursor(cursor, ["integer"])[0];
      const range = {
        ...(since === undefined ? {} : { since: timeOf(since, "since") }),
        ...(until === undefined ? {} : { until: timeOf(until, "until") }),
      };
      const { items, more } = await appReader.deliveries(id, { ...filter, ...range }, before, limit);
      return {
        data: items.map(deliveryView),
        nextCursor: more ? encodeCursor([items.at(-1)?.sequence ?? 0]) : null,
      };
    },
  );
  app.get(
    "/orgs/:org/webhooks/:id/deliveries/:delivery",
    {
      schema: {
        summary: "A delivery with its body and every attempt",
        tags,
        params: DeliveryParams,
        response: { 200: DeliveryDetail },
      },
    },
    async (request) => {
      const { org } = colleagueOf(request);
      const { id, url } = await webhookOf(appReader, org.id, request.params.id);
      const found = await appReader.delivery(id, request.params.delivery, org.slug);
      if (!found) throw refuse("delivery_not_found");
      const { delivery, body, attempts } = found;
      return {
        delivery: deliveryView(delivery),
        url,
        headers: {
          "content-type": "application/json",
          "user-agent": "Frontdesk-Presence/1",
          "webhook-id": delivery.eventId,
        },
        body,
        attempts: attempts.map(({ at, ...attempt }) => ({ ...attempt, at: isoTime(at) })),
      };
    },
  );
  app.post(
    "/orgs/:org/webhooks/:id/deliveries/:delivery/redeliver",
    {
      schema: {
        summary: "Send a delivery again",
        tags,
        params: DeliveryParams,
        response: { 204: Type.Null({ description: "On its way" }) },
        "x-problems": [410],
      },
    },
    async (request, reply) => {
      const { org, actor } = colleagueOf(request);
      const { id, delivery } = request.params;
      await desk.change(org.id, actor, (unit) => redeliver(unit, id, { deliveryId: delivery }));
      return reply.code(204).send(null);
    },
  );
  app.get(
    "/orgs/:org/webhooks/:id/redeliver",
    {
      schema: {
        summary: "How many deliveries have failed since a time and can be sent again",
        tags,
        params: IdParams,
        querystring: RedeliverQuery,
        response: { 200: RedeliverCount },
      },
    },
    async (request) => {
      const { org } = colleagueOf(request);
      const { id } = await webhookOf(appReader, org.id, request.params.id);
      return { count: await appReader.countFailed(id, timeOf(request.query.since, "since")) };
    },
  );
  app.post(
    "/orgs/:org/webhooks/:id/redeliver",
    {
      schema: {
        summary: "Send again what has failed since a time",
        tags,
        params: IdParams,
        body: RedeliverBody,
        response: { 200: RedeliverCount },
      },
    },
    async (request) => {
      const { org, actor } = colleagueOf(request);
      const failedSince = timeOf(request.body.since, "since");
      return {
        count: await desk.change(org.id, actor, (unit) =>
          redeliver(unit, request.params.id, { failedSince }),
        ),
      };
    },
  );
};
