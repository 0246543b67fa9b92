import { createHash, timingSafeEqual } from "node:crypto";
import { DomainError } from "@frontdesk/kit/domain-error";
import { createHttpServer, type HttpServer } from "@frontdesk/kit/http-server";
import { countingIds } from "@frontdesk/kit/ids";
import type { Log } from "@frontdesk/kit/log";
import { ConfigError } from "@frontdesk/lease-config/toml-document";
import { readConfig } from "@frontdesk/lease-config/validate";
import { formatIpv4, parseHex, parseIpv4 } from "@frontdesk/lease-options/address";
import { OPTION_CODES, OPTIONS } from "@frontdesk/lease-options/option-table";
import { Unfit } from "@frontdesk/lease-options/option-types";
import { Type } from "typebox";
import type { RunningConfig } from "../config/running-config.ts";
import { EVENT_TYPES } from "../leases/lease-record.ts";
import type { PacketThread } from "../packet-thread.ts";
import type { History } from "../store/history.ts";
import { Event, eventView, Lease, leaseView, STATE_NAMES, type StateName } from "./lease-view.ts";
import { LEVEL_NAMES, type LogKeeper } from "./log-keeper.ts";

export interface ControlParts {
  readonly log: Log;
  readonly logs: LogKeeper;
  readonly thread: PacketThread;
  readonly history: History;
  readonly url: string;
  readonly token: string | undefined;
  readonly config: RunningConfig;
  readonly startedAt: number;
  readonly now: () => number;
}

const STATUS = {
  bad_address: 400,
  bad_mac: 400,
  bad_option: 400,
  bad_time: 400,
  unauthorized: 401,
  cross_origin: 403,
  no_lease: 404,
  no_nonce: 409,
  no_way: 409,
  not_saved: 503,
} as const;

const VERSION = "1";
const Problems = Type.Object({
  error: Type.String(),
  problems: Type.Array(Type.Object({ line: Type.Integer(), column: Type.Integer(), message: Type.String() })),
});
const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 }));
const AddressPath = Type.Object({ ip: Type.String() });

/** The engine's local control API: what the manager, the CLI and scripts speak. */
export async function createControlServer(parts: ControlParts): Promise<HttpServer> {
  const app = await createHttpServer({
    log: parts.log,
    ids: countingIds(),
    title: "Lease engine control API",
    description: "Leases, events, explanations, configuration and logs of a running DHCP engine.",
    version: VERSION,
    publicUrl: parts.url,
    statusOf: STATUS,
    health: async () => {
      await parts.thread.ask("pools", {});
    },
    bodyLimit: 4 * 1024 * 1024,
  });
  app.addContentTypeParser("application/toml", { parseAs: "string" }, (_request, body, done) =>
    done(null, body),
  );
  app.addHook("onRequest", async (request) => {
    guard(request.headers, request.url, parts.token);
  });
  leaseRoutes(app, parts);
  configRoutes(app, parts);
  observationRoutes(app, parts);
  return app;
}

function guard(headers: Record<string, unknown>, url: string, token: string | undefined): void {
  if (url === "/healthz") return;
  // A page in someone's browser can reach loopback: what comes from a page is not for us.
  if (headers.origin !== undefined) throw new DomainError("cross_origin");
  if (token === undefined) return;
  const given = /^Bearer (.+)$/.exec(String(headers.authorization ?? ""))?.[1] ?? "";
  const digest = (text: string) => createHash("sha256").update(text).digest();
  if (!timingSafeEqual(digest(given), digest(token))) throw new DomainError("unauthorized");
}

function addressFrom(text: string): number {
  const address = parseIpv4(text);
  if (address === undefined) throw new DomainError("bad_address");
  return address;
}

function macFrom(text: string): Uint8Array {
  const mac = parseHex(text);
  if (!mac || mac.length === 0 || mac.length > 16) throw new DomainError("bad_mac");
  return mac;
}

function timeFrom(text: string): number {
  const at = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isNaN(at)) throw new DomainError("bad_time");
  return at;
}

function leaseRoutes(app: HttpServer, parts: ControlParts): void {
  app.get(
    "/v1/leases",
    {
      schema: {
        summary: "Leases, by address",
        querystring: Type.Object({
          q: Type.Optional(Type.String({ maxLength: 200 })),
          subnet: Type.Optional(Type.String()),
          state: Type.Optional(Type.Union(Object.keys(STATE_NAMES).map((name) => Type.Literal(name)))),
          cursor: Type.Optional(Type.String()),
          limit: Limit,
        }),
        response: {
          200: Type.Object({
            items: Type.Array(Lease),
            next_cursor: Type.Union([Type.String(), Type.Null()]),
            total: Type.Integer(),
          }),
        },
      },
    },
    async ({ query }) => {
      const config = parts.config.config;
      const subnet = config.subnets.find(({ name }) => name === query.subnet);
      if (query.subnet !== undefined && !subnet) return { items: [], next_cursor: null, total: 0 };
      const { items, nextCursor, total } = parts.history.leases({
        limit: query.limit ?? 100,
        ...(query.q ? { text: query.q } : {}),
        ...(query.state ? { states: [STATE_NAMES[query.state as StateName]] } : {}),
        ...(query.cursor ? { cursor: addressFrom(query.cursor) } : {}),
        ...(subnet ? { range: { first: subnet.address, last: (subnet.address | ~subnet.mask) >>> 0 } } : {}),
      });
      const now = Math.floor(parts.now() / 1000);
      return {
        items: items.map((lease) => leaseView(lease, config, now)),
        next_cursor: nextCursor === undefined ? null : formatIpv4(nextCursor),
        total,
      };
    },
  );

  app.get(
    "/v1/leases/:ip",
    { schema: { summary: "One lease", params: AddressPath, response: { 200: Lease } } },
    async ({ params }) => {
      const lease = parts.history.lease(addressFrom(params.ip));
      if (!lease) throw new DomainError("no_lease");
      return leaseView(lease, parts.config.config, Math.floor(parts.now() / 1000));
    },
  );

  app.delete(
    "/v1/leases/:ip",
    { schema: { summary: "Release a lease", params: AddressPath } },
    async ({ params }, reply) => {
      const outcome = await parts.thread.ask("release", { ip: addressFrom(params.ip) });
      if (outcome !== "released") throw new DomainError(outcome);
      return reply.code(204).send();
    },
  );

  app.post(
    "/v1/leases/:ip/force-renew",
    { schema: { summary: "Tell a client to renew now (RFC 3203, RFC 6704)", params: AddressPath } },
    async ({ params }, reply) => {
      const outcome = await parts.thread.ask("forceRenew", { ip: addressFrom(params.ip) });
      if (outcome !== "sent") throw new DomainError(outcome);
      return reply.code(202).send({ status: "sent" });
    },
  );

  app.get(
    "/v1/events",
    {
      schema: {
        summary: "What happened to leases, newest first",
        querystring: Type.Object({
          ip: Type.Optional(Type.String()),
          mac: Type.Optional(Type.String()),
          type: Type.Optional(Type.Union(EVENT_TYPES.map((name) => Type.Literal(name)))),
          from: Type.Optional(Type.String()),
          to: Type.Optional(Type.String()),
          cursor: Type.Optional(Type.Integer({ minimum: 1 })),
          limit: Limit,
        }),
        response: {
          200: Type.Object({
            items: Type.Array(Event),
            next_cursor: Type.Union([Type.Integer(), Type.Null()]),
          }),
        },
      },
    },
    async ({ query }) => {
      const { items, nextCursor } = parts.history.events({
        limit: query.limit ?? 100,
        ...(query.ip ? { ip: addressFrom(query.ip) } : {}),
        ...(query.mac ? { mac: macFrom(query.mac) } : {}),
        ...(query.type ? { type: query.type } : {}),
        ...(query.from ? { from: timeFrom(query.from) } : {}),
        ...(query.to ? { to: timeFrom(query.to) } : {}),
        ...(query.cursor ? { before: query.cursor } : {}),
      });
      return { items: items.map(eventView), next_cursor: nextCursor ?? null };
    },
  );

  app.get(
    "/v1/holder",
    {
      schema: {
        summary: "Who held an address at a time",
        querystring: Type.Object({ ip: Type.String(), at: Type.String() }),
        response: { 200: Type.Object({ holder: Type.Union([Event, Type.Null()]) }) },
      },
    },
    async ({ query }) => {
      const found = parts.history.holder(addressFrom(query.ip), timeFrom(query.at));
      return { holder: found?.event ? eventView(found.event) : null };
    },
  );
}

function configRoutes(app: HttpServer, parts: ControlParts): void {
  app.get(
    "/v1/config",
    { schema: { summary: "The configuration file as it is now" } },
    async (_request, reply) => reply.type("application/toml").send(parts.config.running.text),
  );

  app.post(
    "/v1/config/check",
    {
      schema: {
        summary: "Whether a configuration is right, without applying it",
        consumes: ["application/toml"],
        response: { 200: Type.Object({ status: Type.String() }), 422: Problems },
      },
    },
    async ({ body }, reply) => {
      try {
        readConfig(String(body ?? ""));
        return { status: "ok" };
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        return reply.code(422).send({ error: "bad_config", problems: [...error.problems] });
      }
    },
  );

  app.post(
    "/v1/reload",
    {
      schema: {
        summary: "Take up the configuration file: all of it, or nothing",
        response: {
          200: Type.Object({ version: Type.String(), restart: Type.Array(Type.String()) }),
          422: Problems,
        },
      },
    },
    async (_request, reply) => {
      const outcome = await parts.config.reload();
      if (outcome.kind === "applied") return { version: outcome.version, restart: [...outcome.restart] };
      const problems = outcome.kind === "refused" ? [...outcome.problems] : [];
      return reply.code(422).send({ error: "bad_config", problems });
    },
  );
}

function observationRoutes(app: HttpServer, parts: ControlParts): void {
  app.get("/v1/status", { schema: { summary: "The engine at a glance" } }, async () => {
    const pools = await parts.thread.ask("pools", {});
    const { counters } = parts.thread;
    return {
      started_at: new Date(parts.startedAt).toISOString(),
      uptime_seconds: Math.floor((parts.now() - parts.startedAt) / 1000),
      active_leases: counters.get("active_leases"),
      packets_received: counters.get("packets_received"),
      pools: pools.map(({ first, last, ...pool }) => ({
        ...pool,
        first: formatIpv4(first),
        last: formatIpv4(last),
      })),
    };
  });

  app.post(
    "/v1/explain",
    {
      schema: {
        summary: "What a client would get and why; nothing is kept of it",
        body: Type.Object(
          {
            mac: Type.String(),
            giaddr: Type.Optional(Type.String()),
            options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
          },
          { additionalProperties: false },
        ),
      },
    },
    async ({ body }) => {
      const options = Object.entries(body.options ?? {}).map(([key, value]): [number, Uint8Array] => {
        const code = /^\d+$/.test(key) ? Number(key) : OPTION_CODES.get(key);
        const type = code === undefined ? undefined : OPTIONS[code]?.type;
        try {
          if (code === undefined || !type) throw new Unfit(key);
          return [code, type.write(value)];
        } catch (error) {
          if (error instanceof Unfit) throw new DomainError("bad_option");
          throw error;
        }
      });
      const giaddr = body.giaddr === undefined ? 0 : addressFrom(body.giaddr);
      const { steps, reply } = await parts.thread.ask("explain", { mac: macFrom(body.mac), giaddr, options });
      return { steps, reply: reply ?? null };
    },
  );

  app.get(
    "/v1/logs",
    {
      schema: {
        summary: "The last log lines, newest first",
        querystring: Type.Object({
          level: Type.Optional(Type.Union(LEVEL_NAMES.map((name) => Type.Literal(name)))),
          q: Type.Optional(Type.String({ maxLength: 200 })),
          limit: Limit,
        }),
      },
    },
    async ({ query }) => ({
      items: parts.logs.lines({
        limit: query.limit ?? 200,
        ...(query.level ? { level: query.level } : {}),
        ...(query.q ? { text: query.q } : {}),
      }),
    }),
  );
}
