import type {
  ConfigApplied,
  EventPage,
  Explanation,
  Lease,
  LeasePage,
  Problems,
} from "@frontdesk/lease-control-api/schemas";
import { columns, showable } from "./columns.ts";
import type { Answer, Command } from "./command.ts";
import { type Client, ControlProblem } from "./control-client.ts";
import { runDdns } from "./ddns-commands.ts";
import { runHa } from "./ha-commands.ts";
import { importLeases, importReport } from "./import-leases.ts";

const MAX_PAGE = 1000;
const USUAL_EVENTS = 100;
const done = (value: unknown, text: string): Answer => ({ ok: true, value, text });

export const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries<Command>({
    health: {
      usage: "health",
      about: "whether the engine can do its job",
      words: { min: 0, max: 0 },
      run: async (client) => {
        try {
          const { status } = await client.call<{ status: string }>("GET", "/healthz");
          return done({ status }, showable(status));
        } catch (error) {
          if (!(error instanceof ControlProblem)) throw error;
          const value = error.body as Partial<{ status: string; reason: string }> | undefined;
          if (!value?.reason) throw error;
          return { ok: false, value, text: showable(`${value.status}: ${value.reason}`) };
        }
      },
    },
    leases: {
      usage: "leases [--all]",
      about: "the active leases; --all: released, expired and declined ones too",
      words: { min: 0, max: 0 },
      run: async (client, _words, { all }) => {
        const leases = await everyLease(client, all);
        const rows = leases.map((each) => [
          each.ip,
          each.mac ?? each.duid ?? "",
          each.hostname ?? "",
          each.state,
          each.expires_at ?? "for ever",
        ]);
        return done(leases, columns(["address", "hardware", "name", "state", "until"], rows));
      },
    },
    release: {
      usage: "release <ip>",
      about: "free a lease",
      words: { min: 1, max: 1 },
      run: async (client, [ip = ""]) => {
        await client.call("DELETE", `/v1/leases/${encodeURIComponent(ip)}`);
        return done({ released: ip }, `${ip} is free.`);
      },
    },
    "force-renew": {
      usage: "force-renew <ip>",
      about: "tell a client to renew now",
      words: { min: 1, max: 1 },
      run: async (client, [ip = ""]) => {
        await client.call("POST", `/v1/leases/${encodeURIComponent(ip)}/force-renew`);
        return done({ sent: ip }, `${ip} was told to renew.`);
      },
    },
    explain: {
      usage: "explain <mac> [--client-id <hex>] [--giaddr <relay>] [--circuit-id <id>] [--remote-id <id>]",
      about:
        "what a client would get, and why; --interface <name>: heard through that one; of DHCPv6: explain --duid <hex> [--iaid <number>] [--link <address>] [--interface-id <id>] [--remote-id <id>] [--prefix]",
      words: { min: 0, max: 1 },
      run: async (client, [mac], options) => {
        const { giaddr, "client-id": clientId, interface: heardThrough, duid, iaid, link, prefix } = options;
        if (iaid && !/^\d{1,10}$/.test(iaid)) throw new ControlProblem("--iaid must be a whole number.");
        if (!mac && !duid) throw new ControlProblem("Which client? Name its hardware address, or --duid.");
        const value = await client.call<Explanation>("POST", "/v1/explain", {
          ...(mac ? { mac } : {}),
          ...(clientId ? { client_id: clientId } : {}),
          ...(giaddr ? { giaddr } : {}),
          ...(heardThrough ? { interface: heardThrough } : {}),
          ...(options["circuit-id"] ? { circuit_id: options["circuit-id"] } : {}),
          ...(options["interface-id"] ? { interface_id: options["interface-id"] } : {}),
          ...(options["remote-id"] ? { remote_id: options["remote-id"] } : {}),
          ...(duid ? { duid } : {}),
          ...(link ? { link } : {}),
          ...(prefix ? { prefix } : {}),
          ...(iaid ? { iaid: Number(iaid) } : {}),
        });
        return { ok: value.reply !== null, value, text: value.steps.map(showable).join("\n") };
      },
    },
    events: {
      usage: "events [--ip] [--mac] [--type] [--limit] [--all]",
      about: "what happened to leases, newest first: the last 100, --limit, or --all",
      words: { min: 0, max: 0 },
      run: async (client, _words, { ip, mac, type, limit, all }) => {
        const { items, isCut } = await newestEvents(
          client,
          { ip, mac, type },
          all ? Infinity : wanted(limit),
        );
        const rows = items.map((each) =>
          [each.at, each.type, each.ip, each.mac ?? each.duid, each.hostname, each.reason].map(
            (text) => text ?? "",
          ),
        );
        const table = columns(["time", "event", "address", "hardware", "name", "reason"], rows);
        const more = isCut ? "\nThere are older ones: --limit <number> or --all shows them." : "";
        return done(items, table + more);
      },
    },
    import: {
      usage: "import <file>",
      about: "take over the leases of Kea, ISC dhcpd or dnsmasq from their file",
      words: { min: 1, max: 1 },
      run: async (client, [path = ""]) => {
        const result = await importLeases(client, path, Date.now() / 1000);
        return { ok: result.refused.length === 0, value: result, text: importReport(result) };
      },
    },
    reload: {
      usage: "reload",
      about: "apply the configuration file: all of it, or nothing",
      words: { min: 0, max: 0 },
      run: async (client) => {
        try {
          const answer = await client.call<ConfigApplied>("POST", "/v1/reload");
          const waits =
            answer.restart.length > 0 ? ` ${answer.restart.join(", ")} will change with a restart.` : "";
          return done(answer, `The configuration is applied.${waits}`);
        } catch (error) {
          if (!(error instanceof ControlProblem)) throw error;
          const body = error.body as Partial<Problems> | undefined;
          if (!body?.problems) throw error;
          const lines = body.problems.map(
            ({ line, column, message }) => `line ${line}, column ${column}: ${showable(message)}`,
          );
          return { ok: false, value: body, text: ["The running configuration stays:", ...lines].join("\n") };
        }
      },
    },
    ddns: {
      usage: "ddns reconcile [--apply]",
      about: "in what DNS differs from what it shall have; --apply puts it right",
      words: { min: 1, max: 1 },
      run: runDdns,
    },
    ha: {
      usage: "ha status|pair|join|partner-down|maintenance|resume",
      about: "the pair of engines; leasectl ha tells more",
      words: { min: 0, max: 3 },
      run: runHa,
    },
  }),
);

async function everyLease(client: Client, all: boolean): Promise<Lease[]> {
  const leases: Lease[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({
      limit: String(MAX_PAGE),
      ...(all ? {} : { state: "active" }),
      ...(cursor ? { cursor } : {}),
    });
    const page: LeasePage = await client.call("GET", `/v1/leases?${query}`);
    for (const each of page.items) if (all || each.state === "active") leases.push(each);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return leases;
}

function wanted(limit: string | undefined): number {
  if (limit === undefined) return USUAL_EVENTS;
  if (!/^[1-9]\d{0,8}$/.test(limit)) throw new ControlProblem("--limit must be a whole number from 1 on.");
  return Number(limit);
}

/** So many events, page by page; the engine ends a page where it has looked long enough. */
async function newestEvents(client: Client, filter: Record<string, string | undefined>, most: number) {
  const items: EventPage["items"] = [];
  let cursor: number | null = null;
  do {
    const query = new URLSearchParams({ limit: String(Math.min(MAX_PAGE, most - items.length)) });
    for (const [name, value] of Object.entries({ ...filter, cursor })) if (value) query.set(name, `${value}`);
    const page: EventPage = await client.call("GET", `/v1/events?${query}`);
    for (const each of page.items) items.push(each);
    cursor = page.next_cursor;
  } while (cursor !== null && items.length < most);
  return { items, isCut: cursor !== null };
}
