import type { HttpServer } from "@frontdesk/kit/http-server";
import { LogPage, LogQuery, Status } from "@frontdesk/lease-control-api/schemas";
import { formatHex, formatIpv4, formatIpv6, parseMac } from "@frontdesk/lease-options/address";
import { versionsView } from "./config-routes.ts";
import { EventStreams } from "./event-stream.ts";
import type { ControlParts } from "./parts.ts";

const STATUS_EVERY_MS = 1000;
/** A port that holds more addresses than this is shown. */
const MAX_USUAL_PER_PORT = 256;

/** Why the engine cannot do its job at the moment; empty when it can. */
export async function problemsNow({
  thread,
  peer,
  config,
}: Pick<ControlParts, "thread" | "peer" | "config">): Promise<string[]> {
  const interfaces = await thread.ask("interfaces", {});
  return [
    ...(peer.isUnpaired ? ["this node is not paired, and serves nobody until it is"] : []),
    ...(thread.counters.get("store_failing") > 0 ? ["leases cannot be written to disk"] : []),
    ...interfaces
      .filter(({ isServed, problem }) => !isServed || problem)
      .map(({ name, problem }) => problem ?? `the interface ${name} is gone`),
    ...(interfaces.some(({ isServed }) => isServed) && !interfaces.some(({ hasCarrier }) => hasCarrier)
      ? ["every interface is down or has no carrier: no client is heard"]
      : []),
    ...config.config.unserved.map(({ line, message }) => `configuration, line ${line}: ${message}`),
  ];
}

async function statusNow(parts: ControlParts): Promise<Status> {
  const { thread, history, config, startedAt, now, counterNames } = parts;
  const problems = await problemsNow(parts);
  const interfaces = await thread.ask("interfaces", {});
  const pools = await thread.ask("pools", {});
  return {
    started_at: new Date(startedAt).toISOString(),
    uptime_seconds: Math.max(0, Math.floor((now() - startedAt) / 1000)),
    healthy: problems.length === 0,
    problems,
    active_leases: thread.counters.get("active_leases"),
    last_event: history.events.last(),
    clock_offset_seconds: thread.counters.get("clock_offset_seconds"),
    config: versionsView(config),
    interfaces: interfaces.map(({ name, isServed, hasCarrier, addresses, addresses6 = [] }) => ({
      name,
      served: isServed,
      carrier: hasCarrier,
      addresses: [...addresses.map(formatIpv4), ...addresses6.map(formatIpv6)],
    })),
    pools: pools.map(({ fullInHours, ...pool }) => ({
      ...pool,
      full_in_hours: fullInHours,
    })),
    crowded_ports: await thread.ask("crowdedPorts", { limit: MAX_USUAL_PER_PORT }),
    counters: Object.fromEntries(counterNames.map((name) => [name, thread.counters.get(name)])),
  };
}

export function statusRoutes(app: HttpServer, parts: ControlParts): void {
  app.get("/v1/status", { schema: { summary: "The engine at a glance", response: { 200: Status } } }, () =>
    statusNow(parts),
  );

  const streams = new EventStreams(STATUS_EVERY_MS);
  app.addHook("preClose", async () => streams.close());
  app.get(
    "/v1/status/stream",
    { schema: { summary: "The status, every second (text/event-stream)" } },
    async (_request, reply) => {
      streams.open(reply, async () => [{ event: "status", data: await statusNow(parts) }]);
    },
  );

  app.get(
    "/v1/logs",
    {
      schema: {
        summary: "The last log lines, newest first",
        querystring: LogQuery,
        response: { 200: LogPage },
      },
    },
    async ({ query }) => ({
      items: parts.logs.lines({
        limit: query.limit ?? 200,
        ...(query.level ? { level: query.level } : {}),
        ...(query.q ? { text: query.q } : {}),
        ...(query.client ? { client: clientFrom(query.client) } : {}),
      }),
    }),
  );
}

/** As log lines write it, however it was typed. */
function clientFrom(text: string): string {
  const mac = parseMac(text);
  return mac ? formatHex(mac) : text.trim().toLowerCase();
}
