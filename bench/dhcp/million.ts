import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { formatIpv4 } from "@frontdesk/lease-options/address";
import { STATE } from "../../services/lease/engine/src/leases/binding.ts";
import type { LeaseEvent, LeaseRecord } from "../../services/lease/engine/src/leases/lease-record.ts";
import { History } from "../../services/lease/engine/src/store/history.ts";
import { SqliteStore } from "../../services/lease/engine/src/store/sqlite-store.ts";
import { residentBytes, type Segment } from "./segment.ts";

const POOL = ["10.80.0.1", "10.95.255.255"] as const;
const FIRST = 0x0a500001;
const LEASES = 1_038_090;
const EVENTS = 10_000_000;
const AT_ONCE = 5000;
/** Two seconds of new clients must fit into the one per cent that is free. */
const OFFERED = 5000;
const QUESTIONS = 200;

/** What many leases and many events cost: memory, a restart, new clients in a /12 that is 99 % full, a question to the history. */
export async function reportMillion(segment: Segment): Promise<void> {
  console.error("a million leases");
  const empty = await segment.ours("empty", POOL);
  const emptyBytes = residentBytes(empty.pid);
  const intoEmpty = segment.generate(OFFERED, 2).rate;
  await empty.stop();
  const folder = join(segment.folder, "full/lease/engine");
  mkdirSync(folder, { recursive: true });
  fill(join(folder, "leases.db"));
  const full = await segment.ours("full", POOL);
  const seconds = Number(/"tookMs":([\d.]+)/.exec(full.output())?.[1]) / 1000;
  const bytes = (residentBytes(full.pid) - emptyBytes) / LEASES;
  const intoFull = segment.generate(OFFERED, 2).rate;
  await full.stop();
  console.log(
    `\nours with ${LEASES} leases: ${bytes.toFixed(0)} bytes of RSS each, serving ${seconds.toFixed(2)} s after its start`,
  );
  console.log(
    `ours, ${OFFERED} new clients a second offered to a /12: ${intoFull.toFixed(0)} a second when it is 99 % full, ${intoEmpty.toFixed(0)} when it is empty, ratio ${(intoFull / intoEmpty).toFixed(2)}`,
  );
  console.error("ten million events");
  const path = join(segment.folder, "history.db");
  fillHistory(path);
  const took = ask(path);
  const at = (share: number) => took[Math.floor((took.length - 1) * share)]?.toFixed(1);
  console.log(
    `who held an address at a time, over ${EVENTS} events: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`,
  );
}

const macOf = (n: number) => Uint8Array.of(6, 0, n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255);

/** A store with leases in force, as if they had been given. */
function fill(path: string): void {
  const store = new SqliteStore(path);
  const now = Math.floor(Date.now() / 1000);
  const lease = (n: number): LeaseRecord => ({
    ip: FIRST + n,
    state: STATE.bound,
    htype: 1,
    mac: macOf(n),
    clientId: null,
    hostname: null,
    fqdn: null,
    vendor: null,
    classes: null,
    starts: now,
    until: now + 864_000,
    seen: now,
    interface: null,
    giaddr: 0,
    circuitId: null,
    remoteId: null,
    relayAgent: null,
    nonce: null,
    told: now,
    renewals: 0,
    digest: 0,
  });
  for (let done = 0; done < LEASES; done += AT_ONCE) {
    const count = Math.min(AT_ONCE, LEASES - done);
    store.commit({
      writes: Array.from(
        { length: count },
        (_, i) => ({ kind: "put", lease: lease(done + i), keepRelay: false }) as const,
      ),
      events: [],
      notes: [],
      clock: undefined,
    });
  }
  store.close();
}

/** Events of 65,536 addresses, one a second, each address every eighteen hours. */
function fillHistory(path: string): void {
  const store = new SqliteStore(path);
  const event = (n: number): LeaseEvent => ({
    at: n * 1000,
    type: n % 3 === 0 ? "grant" : "renew",
    ip: FIRST + (Math.imul(n, 40503) & 0xffff),
    mac: macOf(n % 70_000),
    clientId: null,
    hostname: null,
    giaddr: 0,
    circuitId: null,
    remoteId: null,
    until: n + 86_400,
    reason: null,
    renewals: 0,
    config: "",
  });
  for (let done = 0; done < EVENTS; done += AT_ONCE) {
    store.commit({
      writes: [],
      events: Array.from({ length: AT_ONCE }, (_, i) => event(done + i)),
      notes: [],
      clock: undefined,
    });
    if (done % 1_000_000 === 0) store.restartWal();
  }
  store.close();
}

/** Milliseconds that each of some questions took, shortest first. */
function ask(path: string): number[] {
  const history = new History(path);
  const took = Array.from({ length: QUESTIONS }, (_, i) => {
    const ip = FIRST + ((i * 7919) & 0xffff);
    const at = Math.floor(((i + 1) / (QUESTIONS + 1)) * EVENTS * 1000);
    const startedAt = performance.now();
    const holder = history.holder(ip, at);
    // In the first eighteen hours not every address has had an event.
    if (!holder && at > 100_000_000) throw new Error(`nobody held ${formatIpv4(ip)}`);
    return performance.now() - startedAt;
  });
  history.close();
  return took.sort((a, b) => a - b);
}
