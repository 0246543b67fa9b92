import { isDeepStrictEqual } from "node:util";
import type { Config } from "@frontdesk/lease-config/config";
import { REPLAY_KINDS, type Replay, type ReplayKind } from "@frontdesk/lease-control-api/replay";
import { formatHex } from "@frontdesk/lease-options/address";
import type { Explanation } from "../dhcp4/explain.ts";
import { identityOf } from "../dhcp4/identify.ts";
import type { StoredLease } from "../leases/lease-record.ts";
import type { LeaseReader } from "../store/lease-reader.ts";
import { createRehearsal, type RehearsalParts } from "./rehearsal.ts";

const DAY_SECONDS = 86_400;
/** Clients that are told of by name, of each kind. */
const MAX_TOLD = 200;

type Item = Replay["items"][number];

/** What a configuration would mean for the clients of the last day: each is decided by both, and nothing is kept. */
export function replay(
  running: Config,
  candidate: Config,
  parts: RehearsalParts & { readonly leases: LeaseReader },
): Replay {
  const [before, after] = [createRehearsal(running, parts), createRehearsal(candidate, parts)];
  const counts = { unchanged: 0, refused: 0, moved: 0, served: 0, changed: 0 };
  const told: Record<ReplayKind, Item[]> = { refused: [], moved: [], served: [], changed: [] };
  const seen = new Set<string>();
  for (const client of parts.leases.seenSince(parts.now - DAY_SECONDS)) {
    const key = keyOf(running, client);
    if (key === undefined || seen.has(key)) continue;
    seen.add(key);
    const [was, will] = [before(client), after(client)];
    const kind = kindOf(was, will);
    counts[kind ?? "unchanged"]++;
    if (kind && told[kind].length < MAX_TOLD) told[kind].push(itemOf(client, kind, was, will));
  }
  return { clients: seen.size, ...counts, items: REPLAY_KINDS.flatMap((kind) => told[kind]) };
}

/** A client at a place: one that moved about asks at each place where it was. */
function keyOf(config: Config, { htype, mac, clientId, giaddr, ...client }: StoredLease): string | undefined {
  const identity = identityOf(config, htype, mac, clientId);
  return identity && mac.length > 0 ? `${formatHex(identity)} ${giaddr} ${client.interface}` : undefined;
}

function kindOf({ reply: was }: Explanation, { reply: will }: Explanation): ReplayKind | undefined {
  if (!was) return will && "served";
  if (!will) return "refused";
  if (was.ip !== will.ip) return "moved";
  return isDeepStrictEqual(was, will) ? undefined : "changed";
}

const itemOf = (client: StoredLease, kind: ReplayKind, was: Explanation, will: Explanation): Item => ({
  kind,
  mac: formatHex(client.mac),
  client_id: client.clientId ? formatHex(client.clientId) : null,
  hostname: client.hostname,
  before: was.reply?.ip ?? null,
  after: will.reply?.ip ?? null,
  reason: will.reply ? null : will.outcome,
  options: changedOptions(was, will),
});

/** Names of the options that would have another value, or none. */
function changedOptions({ reply: was }: Explanation, { reply: will }: Explanation): string[] {
  if (!was || !will) return [];
  const names = new Set([...Object.keys(was.options), ...Object.keys(will.options)]);
  return [...names].filter((name) => !isDeepStrictEqual(was.options[name], will.options[name]));
}
