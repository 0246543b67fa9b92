import { isIPv4 } from "node:net";
import type { DdnsConfig } from "@frontdesk/lease-config/ddns-config";
import { ipv6Bytes, parseIpv4, parseIpv6, u32Bytes } from "@frontdesk/lease-options/address";
import type { NameResult, NameRow, NameState } from "../leases/dns-name.ts";
import type { NameUpdates, Outcome } from "./name-updates.ts";
import type { DnsServer } from "./update-exchange.ts";

/** Rows that are looked at together; of one name, one at a time. */
const MAX_ROWS = 64;
const MAX_SUFFIX = 9;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 10 * 60_000;

export interface NameSenderParts {
  readonly config: () => DdnsConfig | undefined;
  readonly updates: NameUpdates;
  readonly due: (now: number, limit: number) => NameRow[];
  /** Resolves when it is on disk. */
  readonly settle: (results: readonly NameResult[]) => Promise<void>;
  /** Milliseconds of the wall clock. */
  readonly now: () => number;
  /** Milliseconds that only grow. */
  readonly monotonic: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly count: (what: "updates" | "failures" | "conflicts") => void;
}

/** Brings names to DNS and takes them away, at no more than so many a second; a server that is away is given time. */
export function createNameSender(parts: NameSenderParts) {
  /** Servers that did not answer: until when they are left alone, and for how long next time. */
  const away = new Map<string, { until: number; pauseMs: number }>();
  let running: Promise<number> | undefined;

  const whereOf = ({ host, port }: Pick<DnsServer, "host" | "port">) => `${host}:${port}`;

  /** When a server that did what it was asked for is asked again, it is there. */
  function postpone(server: DnsServer): number {
    const where = whereOf(server);
    const pauseMs = Math.min(MAX_PAUSE_MS, (away.get(where)?.pauseMs ?? FIRST_PAUSE_MS / 2) * 2);
    const until = parts.now() + pauseMs;
    away.set(where, { until, pauseMs });
    return until;
  }

  async function round(): Promise<number> {
    const config = parts.config();
    if (!config) return 0;
    const rows = parts.due(parts.now(), MAX_ROWS);
    for (const row of rows) {
      const begun = parts.monotonic();
      await parts.settle([await bring(row, config)]);
      const left = 1000 / config.maxUpdatesPerSecond - (parts.monotonic() - begun);
      if (left > 0) await parts.wait(left);
    }
    return rows.length;
  }

  /** One row from what is kept to what is wanted: what is kept goes first. */
  async function bring(row: NameRow, config: DdnsConfig): Promise<NameResult> {
    const address = octetsOf(row.address);
    const zones = config.zones.map(({ name, server, key, network }) => ({
      name,
      server: { ...server, key },
      network,
    }));
    let { kept, keptDhcid } = row;
    const end = (state: NameState, error: string | null = null, due = 0): NameResult => ({
      address: row.address,
      seq: row.seq,
      kept,
      keptDhcid,
      state,
      error,
      tries: state === "pending" ? row.tries + 1 : 0,
      due,
    });
    const ended = (outcome: Outcome): NameResult | undefined => {
      if (outcome.kind === "done") return undefined;
      if (outcome.kind === "conflict") return end("conflict", "the name is another's");
      if (outcome.kind === "no-zone") return end("no_zone", "no zone of the configuration has the name");
      parts.count("failures");
      if (outcome.kind === "parked") return end("refused", outcome.error);
      return end("pending", outcome.error, postpone(outcome.server));
    };
    const waiting = zones
      .map(({ server }) => away.get(whereOf(server))?.until ?? 0)
      .filter((until) => until > parts.now());
    if (waiting.length === zones.length && zones.length > 0)
      return { ...end("pending", "the server does not answer", Math.min(...waiting)), tries: row.tries };

    if (kept !== null && keptDhcid !== null && (kept !== row.wanted || !isSame(keptDhcid, row.wantedDhcid))) {
      const owned = { name: kept, dhcid: keptDhcid };
      for (const outcome of [
        await parts.updates.removeReverse(zones, kept, address),
        await parts.updates.removeForward(zones, owned, address),
      ]) {
        // A zone that is no longer ours keeps what we can no longer remove.
        if (outcome.kind === "no-zone") continue;
        const failed = ended(outcome);
        if (failed) return failed;
      }
      [kept, keptDhcid] = [null, null];
      parts.count("updates");
    }
    if (row.wanted === null || row.wantedDhcid === null) return end("kept");

    const names = config.collision === "suffix" ? [row.wanted, ...suffixed(row.wanted)] : [row.wanted];
    let outcome: Outcome = { kind: "conflict" };
    for (const name of names) {
      outcome = await parts.updates.addForward(zones, { name, dhcid: row.wantedDhcid }, address, config.ttl);
      if (outcome.kind !== "conflict") {
        if (outcome.kind === "done") [kept, keptDhcid] = [name, row.wantedDhcid];
        break;
      }
    }
    if (outcome.kind === "conflict") parts.count("conflicts");
    const failed = ended(outcome);
    if (failed || kept === null) return failed ?? end("conflict");
    parts.count("updates");
    const reverse = await parts.updates.addReverse(zones, kept, address, config.ttl);
    for (const { server } of zones) away.delete(whereOf(server));
    // The name is there; that nothing leads back to it is told, and is no reason to try again.
    if (reverse.kind === "no-zone") return end("kept", "no reverse zone has the address");
    return ended(reverse) ?? end("kept");
  }

  return {
    /** Brings what is due; answers how many there were. Whoever asks meanwhile waits for the same round. */
    round: (): Promise<number> => {
      running ??= round().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

const isSame = (one: Uint8Array, other: Uint8Array | null) =>
  other !== null && Buffer.from(one).equals(other);

const octetsOf = (address: string): Uint8Array =>
  isIPv4(address) ? u32Bytes(parseIpv4(address) ?? 0) : ipv6Bytes(parseIpv6(address) ?? 0n);

/** `anna-2.office.example` and so on. */
function suffixed(name: string): string[] {
  const [label = "", ...domain] = name.split(".");
  return Array.from({ length: MAX_SUFFIX - 1 }, (_, n) =>
    [`${label.slice(0, 60)}-${n + 2}`, ...domain].join("."),
  );
}
