import { isDeepStrictEqual } from "node:util";
import type { Config } from "@frontdesk/lease-config/config";
import { REPLAY_KINDS, type Replay, type ReplayKind } from "@frontdesk/lease-control-api/replay";
import { formatHex } from "@frontdesk/lease-options/address";
import { identityOf } from "../dhcp4/identify.ts";
import type { StoredLease } from "../leases/lease-record.ts";
import { isPrefix, type StoredLease6 } from "../leases/lease6-record.ts";
import type { LeaseReader } from "../store/lease-reader.ts";
import { createRehearsal, type RehearsalParts } from "./rehearsal.ts";
import { createRehearsal6 } from "./rehearsal6.ts";

const DAY_SECONDS = 86_400;
/** Clients that are told of by name, of each kind. */
const MAX_TOLD = 200;

type Item = Replay["items"][number];

/** What a client gets, in either protocol. */
interface Answer {
  readonly outcome: string;
  readonly reply: { readonly ip: string; readonly options: Record<string, unknown> } | undefined;
}

/** A client at a place: one that moved about asks at each place where it was. */
interface Asker {
  readonly key: string;
  readonly named: Pick<Item, "mac" | "client_id" | "duid" | "hostname">;
  /** By the configuration that runs, and by the candidate. */
  ask(): [was: Answer, will: Answer];
}

type ReplayParts = RehearsalParts & { readonly leases: LeaseReader };

/** What a configuration would mean for the clients of the last day: each is decided by both, and nothing is kept. */
export function replay(running: Config, candidate: Config, parts: ReplayParts): Replay {
  const counts = { unchanged: 0, refused: 0, moved: 0, served: 0, changed: 0 };
  const told: Record<ReplayKind, Item[]> = { refused: [], moved: [], served: [], changed: [] };
  const seen = new Set<string>();
  for (const askers of [askers4(running, candidate, parts), askers6(running, candidate, parts)])
    for (const { key, named, ask } of askers) {
      if (seen.has(key)) continue;
      seen.add(key);
      const [was, will] = ask();
      const kind = kindOf(was, will);
      counts[kind ?? "unchanged"]++;
      if (kind && told[kind].length < MAX_TOLD) told[kind].push(itemOf(named, kind, was, will));
    }
  return { clients: seen.size, ...counts, items: REPLAY_KINDS.flatMap((kind) => told[kind]) };
}

function* askers4(running: Config, candidate: Config, parts: ReplayParts): Generator<Asker> {
  const [before, after] = [createRehearsal(running, parts), createRehearsal(candidate, parts)];
  for (const client of parts.leases.seenSince(parts.now - DAY_SECONDS)) {
    const key = keyOf(running, client);
    if (key !== undefined) yield { key, named: namedOf(client), ask: () => [before(client), after(client)] };
  }
}

/** Each address and each prefix that a client has, for it may have several of both. */
function* askers6(running: Config, candidate: Config, parts: ReplayParts): Generator<Asker> {
  const { leases, interfaces, now } = parts;
  if (!leases.v6) return;
  const parts6 = { store: leases.v6, interfaces, now };
  const [before, after] = [createRehearsal6(running, parts6), createRehearsal6(candidate, parts6)];
  for (const client of leases.v6.seenSince(now - DAY_SECONDS))
    yield { key: keyOf6(client), named: namedOf6(client), ask: () => [before(client), after(client)] };
}

function keyOf(config: Config, { htype, mac, clientId, giaddr, ...client }: StoredLease): string | undefined {
  const identity = identityOf(config, htype, mac, clientId);
  return identity && mac.length > 0 ? `${formatHex(identity)} ${giaddr} ${client.interface}` : undefined;
}

const keyOf6 = (client: StoredLease6): string =>
  `v6 ${formatHex(client.duid)} ${client.iaid} ${isPrefix(client)} ${client.link} ${client.interface}`;

const namedOf = ({ mac, clientId, hostname }: StoredLease): Asker["named"] => ({
  mac: formatHex(mac),
  client_id: clientId ? formatHex(clientId) : null,
  duid: null,
  hostname,
});

const namedOf6 = ({ mac, duid, hostname }: StoredLease6): Asker["named"] => ({
  mac: mac.length > 0 ? formatHex(mac) : null,
  client_id: null,
  duid: formatHex(duid),
  hostname,
});

function kindOf({ reply: was }: Answer, { reply: will }: Answer): ReplayKind | undefined {
  if (!was) return will && "served";
  if (!will) return "refused";
  if (was.ip !== will.ip) return "moved";
  return isDeepStrictEqual(was, will) ? undefined : "changed";
}

const itemOf = (named: Asker["named"], kind: ReplayKind, was: Answer, will: Answer): Item => ({
  kind,
  ...named,
  before: was.reply?.ip ?? null,
  after: will.reply?.ip ?? null,
  reason: will.reply ? null : will.outcome,
  options: changedOptions(was, will),
});

/** Where DHCPv6 has the address itself. */
const CARRIERS: readonly string[] = ["ia_na", "ia_pd"];

/** Names of the options that would have another value, or none. */
function changedOptions({ reply: was }: Answer, { reply: will }: Answer): string[] {
  if (!was || !will) return [];
  const names = new Set([...Object.keys(was.options), ...Object.keys(will.options)]);
  const isMoved = was.ip !== will.ip;
  return [...names].filter(
    (name) =>
      !(isMoved && CARRIERS.includes(name)) && !isDeepStrictEqual(was.options[name], will.options[name]),
  );
}
