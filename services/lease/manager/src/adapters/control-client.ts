import { Agent, type IncomingMessage, request } from "node:http";
import { DomainError } from "@frontdesk/kit/domain-error";
import { type Problems, REFUSALS, type RefusalCode } from "@frontdesk/lease-control-api/schemas";
import { plainAddress } from "@frontdesk/lease-options/plain-address";
import { refuse } from "../domain/codes.ts";
import type { ConfigAnswer, Engine, Query, StreamedEvent } from "../domain/engine.ts";

const TIMEOUT_MS = 30_000;
const NO_CONTENT = 204;
/** More than all leases of reserved addresses of the longest configuration: what is longer is not the engine's. */
const MAX_ANSWER = 64 * 1024 * 1024;
/** The same of one event. */
const MAX_EVENT = 8 * 1024 * 1024;
/** Nobody was there to hear the question. */
const UNHEARD = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND"]);
/** Questions that change nothing, though they have a body. */
const ASKS_ONLY = new Set(["/v1/explain", "/v1/config/check", "/v1/config/replay"]);

export interface ControlAddress {
  readonly url: string;
  readonly token: string | undefined;
}

interface Said {
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/**
 * The engine's control API. Where it is and which token it wants is looked up again when nobody answers there, or
 * somebody else: a setting that waits for a restart is not in force yet.
 */
export function createControlClient(lookUp: () => ControlAddress): Engine {
  let address = lookUp();
  // A connection is used again. `fetch` takes as long for a page of leases as the engine does.
  const agent = new Agent({ keepAlive: true });
  const send = async (
    method: string,
    path: string,
    { headers, body, signal }: Said & { signal?: AbortSignal },
  ): Promise<IncomingMessage> => {
    const { url, token } = address;
    const authorization = token ? { authorization: `Bearer ${token}` } : {};
    try {
      return await new Promise((resolve, reject) => {
        const options = { agent, method, headers: { ...authorization, ...headers }, signal };
        request(url + path, options, resolve)
          .on("error", reject)
          // Without an answer that this protocol knows, and without an error.
          .on("close", () => reject(new Error("closed")))
          .end(body);
      });
    } catch (error) {
      address = lookUp();
      return refuse(wasHeard(error) && changes(method, path) ? "engine_unanswered" : "engine_away");
    }
  };

  /** Something else has the address where the engine was. */
  const refused = (body: unknown): DomainError => {
    const refusal = refusalOf(body);
    if (refusal.code === "engine_away") address = lookUp();
    return refusal;
  };

  const ask = async (method: string, path: string, said: Said = {}): Promise<Answer> => {
    const sendNow = () => send(method, path, { ...said, signal: AbortSignal.timeout(TIMEOUT_MS) });
    // Taken before: whoever else asks meanwhile may look it up first.
    const { token } = address;
    let response = await sendNow();
    if (response.statusCode === 401) {
      address = lookUp();
      // An engine that was started anew may have made itself another one.
      if (address.token !== token) {
        response.resume();
        response = await sendNow();
      }
    }
    const told = await textOf(response).catch(() =>
      refuse(changes(method, path) ? "engine_unanswered" : "engine_away"),
    );
    const { statusCode: status = 0 } = response;
    const body = parsed(told);
    // All that it answers is an object, but for what it has no more to say of.
    if (status !== NO_CONTENT && (typeof body !== "object" || body === null)) throw refused(undefined);
    return { status, body };
  };

  const call = async <T>(
    method: string,
    path: string,
    json?: unknown,
    more: Record<string, string> = {},
  ): Promise<T> => {
    const init =
      json === undefined
        ? { headers: more }
        : { headers: { "content-type": "application/json", ...more }, body: JSON.stringify(json) };
    const { status, body } = await ask(method, path, init);
    if (status < 300) return body as T;
    throw refused(body);
  };

  const ifMatch = (seen: string | undefined): Record<string, string> =>
    seen === undefined ? {} : { "if-match": `"${seen}"` };

  const toml = (text: string, more: Record<string, string> = {}) => ({
    headers: { "content-type": "application/toml", ...more },
    body: text,
  });

  /** What is wrong with a configuration, where that is what was answered. */
  const problemsOf = ({ status, body }: Answer): Problems["problems"] => {
    const { problems } = body as Partial<Problems>;
    if (status === 422 && Array.isArray(problems)) return problems;
    throw refused(body);
  };

  const configAnswer = ({ status, body }: Answer): ConfigAnswer => {
    const told = body as { version?: string; problems?: [] };
    if (status < 300) return { kind: "applied", applied: body as never };
    if (status === 412) return { kind: "changed", version: told.version ?? "" };
    return { kind: "wrong", problems: problemsOf({ status, body }) };
  };

  return {
    status: () => call("GET", "/v1/status"),
    leases: ({ subnet, ...query }) => {
      // A subnet of the file may be written in another way than the engine names it.
      const named = typeof subnet === "string" ? (plainAddress(subnet) ?? subnet) : undefined;
      return call("GET", `/v1/leases${queryText({ ...query, subnet: named })}`);
    },
    reservedLeases: () => call("GET", "/v1/reserved-leases"),
    lease: (ip) => call("GET", leasePath(ip)),
    release: (ip, seen) => call("DELETE", leasePath(ip), undefined, ifMatch(seen)),
    releaseMany: (leases) =>
      call("POST", "/v1/leases/release", {
        addresses: leases.map(({ ip }) => ip),
        versions: Object.fromEntries(leases.map(({ ip, version }) => [ip, version])),
      }),
    change: (ip, change, seen) => call("PATCH", leasePath(ip), change, ifMatch(seen)),
    forceRenew: (ip) => call("POST", `${leasePath(ip)}/force-renew`),
    events: (query) => call("GET", `/v1/events${queryText(query)}`),
    holder: (ip, at) => call("GET", `/v1/holder${queryText({ ip, at })}`),
    explain: (query) => call("POST", "/v1/explain", query),
    logs: (query) => call("GET", `/v1/logs${queryText(query)}`),
    config: () => call("GET", "/v1/config"),
    writeConfig: async (text, seen, confirmWithin) =>
      configAnswer(
        await ask(
          "PUT",
          `/v1/config${queryText({ confirm_within: confirmWithin })}`,
          toml(text, ifMatch(seen)),
        ),
      ),
    confirmConfig: (version) => call("POST", "/v1/config/confirm", { version }),
    rollBackConfig: async (version) =>
      configAnswer(await ask("POST", `/v1/config/rollback${queryText({ version })}`)),
    checkConfig: async (text) => {
      const { status, body } = await ask("POST", "/v1/config/check", toml(text));
      if (status < 300) return { ok: true, checked: body as never };
      return { ok: false, problems: problemsOf({ status, body }) };
    },
    replay: async (text) => {
      const { status, body } = await ask("POST", "/v1/config/replay", toml(text));
      if (status < 300) return { ok: true, replay: body as never };
      return { ok: false, problems: problemsOf({ status, body }) };
    },
    nameDifferences: (query) => call("GET", `/v1/ddns/differences${queryText(query)}`),
    reconcileNames: (part) => call("POST", "/v1/ddns/reconcile", part),
    haStatus: () => call("GET", "/v1/ha/status"),
    haPartnerDown: (how) => call("POST", "/v1/ha/partner-down", how),
    haMaintenance: () => call("POST", "/v1/ha/maintenance"),
    haResume: (how) => call("POST", "/v1/ha/resume", how),
    stream: async function* (path, after, signal) {
      // Whatever answered before: a line that broke may have been another program's.
      address = lookUp();
      const response = await send("GET", `/v1/${path}/stream${queryText({ after })}`, { signal });
      const { statusCode = 0 } = response;
      if (statusCode >= 300) throw refusalOf(parsed(await textOf(response).catch(() => "")));
      yield* eventsOf(response);
    },
  };
}

const changes = (method: string, path: string) => method !== "GET" && !ASKS_ONLY.has(path);

function wasHeard(error: unknown): boolean {
  return !UNHEARD.has((error as { code?: string }).code ?? "");
}

/** Dots alone would be taken for another folder. */
function leasePath(ip: string): string {
  if (/^\.+$/.test(ip)) throw new DomainError("bad_address", REFUSALS.bad_address);
  return `/v1/leases/${encodeURIComponent(ip)}`;
}

function queryText(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return "";
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** What the engine refuses, it refuses in its own words; what is none of its words is not the engine. */
function refusalOf(body: unknown): DomainError {
  const code = (body as { error?: string } | undefined)?.error ?? "";
  if (code === "unauthorized")
    return new DomainError("engine_away", "The engine wants another control token.");
  const { reason } = (body ?? {}) as { reason?: unknown };
  if (code === "ha_refused" && typeof reason === "string") return new DomainError(code, reason);
  if (Object.hasOwn(REFUSALS, code)) return new DomainError(code, REFUSALS[code as RefusalCode]);
  return new DomainError("engine_away", "What answers at the engine's address is not its control API.");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_ANSWER) throw new Error("the answer is too long");
  }
  return Buffer.concat(chunks).toString();
}

/** Events of a text/event-stream; comments and half an event at the end are nothing. */
async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncIterable<StreamedEvent> {
  const decoder = new TextDecoder();
  let pending = "";
  for await (const chunk of body) {
    pending += decoder.decode(chunk, { stream: true });
    const blocks = pending.split("\n\n");
    pending = blocks.pop() ?? "";
    if (pending.length > MAX_EVENT) throw new Error("the event is too long");
    for (const block of blocks) {
      const fields = new Map(
        block.split("\n").map((line) => {
          const at = line.indexOf(": ");
          return [line.slice(0, at), line.slice(at + 2)] as const;
        }),
      );
      const data = fields.get("data");
      if (data !== undefined) yield { id: fields.get("id"), event: fields.get("event") ?? "message", data };
    }
  }
}
