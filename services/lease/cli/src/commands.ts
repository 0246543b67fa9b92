import { columns } from "./columns.ts";
import { type Client, ControlProblem } from "./control-client.ts";

interface Lease {
  ip: string;
  mac: string | null;
  hostname: string | null;
  state: string;
  expires_at: string | null;
}

interface Page<T> {
  items: T[];
  next_cursor: string | number | null;
}

interface Flags {
  readonly all: boolean;
  readonly ip?: string | undefined;
  readonly mac?: string | undefined;
  readonly type?: string | undefined;
  readonly limit?: string | undefined;
  readonly giaddr?: string | undefined;
}

interface Answer {
  readonly ok: boolean;
  readonly value: unknown;
  readonly text: string;
}

interface Command {
  readonly usage: string;
  readonly about: string;
  readonly words: { readonly min: number; readonly max: number };
  readonly run: (client: Client, words: string[], flags: Flags) => Promise<Answer>;
}

const PAGE = 1000;
const done = (value: unknown, text: string): Answer => ({ ok: true, value, text });

export const commands: Readonly<Record<string, Command>> = {
  health: {
    usage: "health",
    about: "whether the engine can do its job",
    words: { min: 0, max: 0 },
    run: async (client) => {
      const { status } = await client.call<{ status: string }>("GET", "/healthz");
      return done({ status }, status);
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
        each.mac ?? "",
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
    usage: "explain <mac> [--giaddr <relay>]",
    about: "what a client would get, and why",
    words: { min: 1, max: 1 },
    run: async (client, [mac], { giaddr }) => {
      const value = await client.call<{ steps: string[]; reply: unknown }>("POST", "/v1/explain", {
        mac,
        ...(giaddr ? { giaddr } : {}),
      });
      return { ok: value.reply !== null, value, text: value.steps.join("\n") };
    },
  },
  events: {
    usage: "events [--ip] [--mac] [--type] [--limit]",
    about: "what happened to leases, newest first",
    words: { min: 0, max: 0 },
    run: async (client, _words, { ip, mac, type, limit }) => {
      const query = new URLSearchParams(
        Object.entries({ ip, mac, type, limit }).filter(([, value]) => value) as string[][],
      );
      const { items } = await client.call<Page<Record<string, string | null>>>("GET", `/v1/events?${query}`);
      const rows = items.map((each) =>
        [each.at, each.type, each.ip, each.mac, each.hostname, each.reason].map((text) => text ?? ""),
      );
      return done(items, columns(["time", "event", "address", "hardware", "name", "reason"], rows));
    },
  },
  reload: {
    usage: "reload",
    about: "take up the configuration file: all of it, or nothing",
    words: { min: 0, max: 0 },
    run: async (client) => {
      try {
        const answer = await client.call<{ version: string; restart: string[] }>("POST", "/v1/reload");
        const waits =
          answer.restart.length > 0 ? ` ${answer.restart.join(", ")} will change with a restart.` : "";
        return done(answer, `The configuration is taken up.${waits}`);
      } catch (error) {
        if (!(error instanceof ControlProblem)) throw error;
        const body = error.body as
          | { problems?: Array<{ line: number; column: number; message: string }> }
          | undefined;
        if (!body?.problems) throw error;
        const lines = body.problems.map(
          ({ line, column, message }) => `line ${line}, column ${column}: ${message}`,
        );
        return { ok: false, value: body, text: ["The running configuration stays:", ...lines].join("\n") };
      }
    },
  },
};

async function everyLease(client: Client, all: boolean): Promise<Lease[]> {
  const leases: Lease[] = [];
  let cursor: string | number | null = null;
  do {
    const query = new URLSearchParams({
      limit: String(PAGE),
      ...(all ? {} : { state: "active" }),
      ...(cursor ? { cursor: String(cursor) } : {}),
    });
    const page: Page<Lease> = await client.call("GET", `/v1/leases?${query}`);
    leases.push(...page.items.filter((each) => all || each.state === "active"));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return leases;
}
