import { join } from "node:path";
import type { TestContext } from "node:test";
import { parseIpv4 } from "@frontdesk/lease-options/address";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { createNameSender, type NameSenderParts } from "../src/ddns/name-sender.ts";
import type { NameUpdates, Outcome } from "../src/ddns/name-updates.ts";
import { namePolicy } from "../src/ddns/naming.ts";
import { reversePlace, type Zone, zoneOf } from "../src/ddns/zones.ts";
import { EMPTY_RECORD } from "../src/dhcp4/lease-details.ts";
import { EMPTY_RECORD6 } from "../src/dhcp6/lease-details.ts";
import { STATE } from "../src/leases/binding.ts";
import type { NameRow } from "../src/leases/dns-name.ts";
import type { LeaseRecord } from "../src/leases/lease-record.ts";
import type { Lease6Record } from "../src/leases/lease6-record.ts";
import type { Commit } from "../src/loop/lease-store.ts";
import { dueNames, identitiesAt, leavingAddresses, namesBeside } from "../src/store/name-rows.ts";
import { openForReading } from "../src/store/schema.ts";
import { SqliteStore } from "../src/store/sqlite-store.ts";
import { configOf } from "./desk.ts";

/** The section [ddns] with a forward and a reverse zone on a server each. */
export const ddnsOf = ({ forward = 1053, reverse = 2053, more = "" } = {}) => `[ddns]
enabled = true
server = "127.0.0.1:${forward}"
forward_zone = "a.example"
${more}
[[ddns.zone]]
name = "10.in-addr.arpa"
server = "127.0.0.1:${reverse}"
`;
export const SUBNETS = `[[subnet]]
network = "10.0.0.0/8"
[[subnet.reservation]]
ip = "10.9.9.9"
mac = "02:00:00:00:00:09"
[[subnet]]
network = "fd77::/64"
[[subnet.reservation]]
ip = "fd77::50"
duid = "00:03:00:01:02:00:00:00:00:50"
mac = "02:00:00:00:00:50"
hostname = "door"
`;
const EMPTY: Commit = { writes: [], events: [], notes: [], clock: undefined };

export interface Asked {
  readonly what: string;
  /** The port of the server. */
  readonly port: number;
  /** Milliseconds. */
  readonly at: number;
  /** Of a name, the DHCID by which it is asked for. */
  readonly dhcid?: Uint8Array;
}

/** The outbox on disk, servers that answer as they are told to, and a clock that moves only by waiting. */
export function nameDesk(t: TestContext, begun = ddnsOf(), path = join(temporaryHome(t), "leases.db")) {
  const store = new SqliteStore(path);
  const reading = openForReading(path);
  t.after(() => {
    reading.close();
    store.close();
  });
  let config = configOf(`${begun}${SUBNETS}`);
  let now = 0;
  let answer: (asked: Asked) => Outcome | Promise<Outcome> = () => ({ kind: "done" });
  const asked: Asked[] = [];
  const say = async (what: string, zone: Zone | undefined, dhcid?: Uint8Array): Promise<Outcome> => {
    if (!zone) return { kind: "no-zone" };
    const question = { what, port: zone.server.port, at: now, ...(dhcid && { dhcid }) };
    asked.push(question);
    return answer(question);
  };
  const updates: NameUpdates = {
    addForward: (zones, { name, dhcid }) => say(`add ${name}`, zoneOf(zones, name), dhcid),
    owns: (zones, { name, dhcid }) => say(`owns ${name}`, zoneOf(zones, name), dhcid),
    removeForward: (zones, { name, dhcid }) => say(`remove ${name}`, zoneOf(zones, name), dhcid),
    addReverse: (zones, name, address) => say(`add reverse ${name}`, reversePlace(zones, address)?.zone),
    removeReverse: (zones, name, address, others = []) =>
      say(`remove reverse ${[name, ...others].join(", ")}`, reversePlace(zones, address)?.zone),
  };
  const reconcile = () => {
    while (store.reconcileNames());
  };
  const senderWith = (other: Partial<NameSenderParts> = {}) =>
    createNameSender({
      config: () => config.ddns,
      updates,
      isPaired: false,
      due: (query) => dueNames(reading, query),
      leaving: (name) => leavingAddresses(reading, name),
      namesBeside: (address) => namesBeside(reading, address),
      identitiesAt: (address) => identitiesAt(reading, address),
      settle: async (results) => {
        store.commit({ ...EMPTY, names: results });
        return true;
      },
      monotonic: () => now,
      wait: async (milliseconds) => {
        now += milliseconds;
      },
      count: () => {},
      ...other,
    });
  const begin = (ddns: string, subnets = SUBNETS) => {
    config = configOf(`${ddns}${subnets}`);
    store.names.begin(namePolicy(config));
  };
  const rows = () =>
    reading
      .prepare(
        "SELECT address, side, wanted, kept, state, error, server FROM dns_name ORDER BY address, side",
      )
      .all() as unknown as Array<NameRow & { state: string; error: string | null; server: string | null }>;
  const sender = senderWith();
  store.names.begin(namePolicy(config));
  return {
    store,
    sender,
    senderWith,
    asked,
    reconcile,
    /** Another configuration is taken up. */
    begin,
    /** With all that it changes. */
    use: (ddns: string, subnets = SUBNETS) => {
      begin(ddns, subnets);
      reconcile();
    },
    answers: (next: typeof answer) => {
      answer = next;
    },
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    time: () => now,
    /** A round each second, for so long. */
    run: async (milliseconds: number) => {
      for (const end = now + milliseconds; now < end; now += 1000) await sender.round();
    },
    /** Rounds until nothing is left to do now. */
    bring: async () => {
      while ((await sender.round()) > 0);
    },
    commit: (commit: Partial<Commit>) => store.commit({ ...EMPTY, ...commit }),
    /** A lease is given to a client, each address to its own unless another is named. */
    lease: (...leases: Array<Partial<LeaseRecord> & { readonly at: string }>) =>
      store.commit({
        ...EMPTY,
        writes: leases.map((each) => ({ kind: "put", lease: leaseOf(each), keepRelay: false })),
      }),
    lease6: (lease: Partial<Lease6Record>) =>
      store.commit({
        ...EMPTY,
        writes6: [{ kind: "put", lease: { ...EMPTY_RECORD6, state: STATE.bound, ...lease } }],
      }),
    end: (at: string) =>
      store.commit({
        ...EMPTY,
        writes: [{ kind: "mark", ip: ipOf(at), state: STATE.expired, until: 0, told: 0 }],
      }),
    rows,
    row: (address: string, side = "forward") =>
      rows().find((row) => row.address === address && row.side === side),
  };
}

const ipOf = (text: string) => parseIpv4(text) as number;

function leaseOf({ at, ...lease }: Partial<LeaseRecord> & { readonly at: string }): LeaseRecord {
  const ip = ipOf(at);
  const mac = Uint8Array.of(2, 0, ip >>> 24, (ip >>> 16) & 255, (ip >>> 8) & 255, ip & 255);
  return { ...EMPTY_RECORD, ip, state: STATE.bound, htype: 1, mac, ...lease };
}
