import { formatIpv6, parseHex, parseIpv6 } from "@frontdesk/lease-options/address";
import { CODE6, TYPE6, TYPE6_NAMES } from "@frontdesk/lease-options/option6-table";
import { COUNTERS } from "../src/counter-names.ts";
import { Dhcp4 } from "../src/dhcp4/dhcp4.ts";
import { describeOption } from "../src/dhcp6/describe.ts";
import { Dhcp6 } from "../src/dhcp6/dhcp6.ts";
import { type Ia, type IaLease, iaOption, readIas, readStatus } from "../src/dhcp6/ia.ts";
import { decodePacket, encodePacket, type Packet6, type RelayHop } from "../src/dhcp6/message.ts";
import { firstOption, type Option6 } from "../src/dhcp6/options.ts";
import { leaseText } from "../src/dhcp6/sentences.ts";
import { STATE } from "../src/leases/binding.ts";
import type { Lease6Record, StoredLease6 } from "../src/leases/lease6-record.ts";
import { Counters } from "../src/loop/counters.ts";
import { Engine } from "../src/loop/engine.ts";
import { EngineClock } from "../src/loop/engine-clock.ts";
import type { Commit, LeaseStore6 } from "../src/loop/lease-store.ts";
import type { AnyOutgoing, Ingress6, Outgoing6 } from "../src/loop/wire.ts";
import { configOf, MemoryStore } from "./desk.ts";
import { fakeTime } from "./fake-time.ts";

export const ip6 = (text: string) => parseIpv6(text) as bigint;
export const octets = (text: string) => parseHex(text) as Uint8Array;
export const SERVER_ID = octets("00:04:01:02:03:04:05:06:07:08:09:0a:0b:0c:0d:0e:0f:10");
export const CLIENT = "00:03:00:01:02:00:00:00:00:01";

/** Leases of both families in memory. */
export class MemoryStore6 extends MemoryStore implements LeaseStore6 {
  readonly leases6 = new Map<bigint, StoredLease6>();
  secret = new Uint8Array(32).fill(7);

  override commit(commit: Commit): void {
    super.commit(commit);
    for (const write of commit.writes6 ?? []) {
      const seq = ++this.lastSeq;
      if (write.kind === "put") this.leases6.set(write.lease.address, { ...copied(write.lease), seq });
      else if (write.kind === "remove") this.leases6.delete(write.address);
      else {
        const lease = this.leases6.get(write.address);
        if (!lease) continue;
        const { kind, ...change } = write;
        const renewals = lease.renewals + (kind === "renew" ? 1 : 0);
        const state = kind === "renew" ? STATE.bound : write.state;
        this.leases6.set(write.address, { ...lease, ...change, state, renewals, seq });
      }
    }
  }

  find6 = (address: bigint) => this.leases6.get(address);
  all6 = () => this.leases6.values();
  serverIdentity = () => ({ duid: SERVER_ID, secret: this.secret });
}

const copied = (lease: Lease6Record): Lease6Record =>
  Object.fromEntries(
    Object.entries(lease).map(([key, value]) => [key, value instanceof Uint8Array ? value.slice() : value]),
  ) as unknown as Lease6Record;

export interface Sent6 {
  readonly duid?: string | null;
  readonly server?: Uint8Array | null;
  readonly ias?: ReadonlyArray<Partial<Ia>>;
  readonly ask?: readonly number[];
  readonly options?: readonly Option6[];
  /** From the outermost in. */
  readonly relays?: ReadonlyArray<Partial<RelayHop>>;
  readonly from?: Partial<Ingress6>;
  readonly xid?: number;
}

export interface Reply6 {
  readonly type: string;
  readonly packet: Packet6;
  readonly ias: readonly Ia[];
  /** `[iaid, address or prefix, valid lifetime]` of all IAs. */
  readonly leases: ReadonlyArray<[iaid: number, lease: string, valid: number]>;
  readonly status: number | undefined;
  readonly options: Record<string, unknown>;
  readonly to: string;
}

export const hint = (text: string): IaLease => {
  const [address = "", length] = text.split("/");
  return { address: ip6(address), length: length ? Number(length) : 128, preferred: 0, valid: 0 };
};
export const na = (iaid = 1, ...leases: string[]) => ({ type: CODE6.iaNa, iaid, leases: leases.map(hint) });
export const pd = (iaid = 1, ...leases: string[]) => ({ type: CODE6.iaPd, iaid, leases: leases.map(hint) });

/** Messages that speak to one server. */
const TO_SERVER: readonly number[] = [TYPE6.request, TYPE6.renew, TYPE6.release, TYPE6.decline];

export function packetOf6(type: number, sent: Omit<Sent6, "from"> = {}): Uint8Array {
  const { duid = CLIENT, ias = [na()], ask = [], relays = [], xid = 0xabcdef } = sent;
  const server = sent.server === undefined && TO_SERVER.includes(type) ? SERVER_ID : sent.server;
  const options: Option6[] = [
    ...(duid === null ? [] : [{ code: CODE6.clientId, value: octets(duid) }]),
    ...(server ? [{ code: CODE6.serverId, value: server }] : []),
    ...(ask.length > 0
      ? [
          {
            code: CODE6.optionRequest,
            value: Uint8Array.from(ask.flatMap((code) => [code >> 8, code & 255])),
          },
        ]
      : []),
    ...ias.map((ia) => iaOption({ type: CODE6.iaNa, iaid: 1, t1: 0, t2: 0, leases: [], ...ia })),
    ...(sent.options ?? []),
  ];
  const out = new Uint8Array(8192);
  const { length } = encodePacket(
    {
      message: { type, xid, options },
      relays: relays.map((relay) => ({ hops: 0, link: 0n, peer: ip6("fe80::1"), options: [], ...relay })),
      relayType: relays.length > 0 ? TYPE6.relayForward : undefined,
    },
    out,
  );
  return out.slice(0, length);
}

export function replyOf6({ bytes, destination }: Pick<Outgoing6, "bytes" | "destination">): Reply6 {
  const packet = decodePacket(bytes);
  if ("malformed" in packet) throw new Error(packet.malformed);
  const ias = readIas(packet.message.options) ?? [];
  const status = firstOption(packet.message.options, CODE6.statusCode);
  return {
    type: TYPE6_NAMES.get(packet.message.type) ?? "",
    packet,
    ias,
    leases: ias.flatMap(({ iaid, leases }) =>
      leases.map((lease): [number, string, number] => [iaid, leaseText(lease), lease.valid]),
    ),
    status: status && readStatus(status)?.code,
    options: Object.fromEntries(packet.message.options.map(describeOption)),
    to: `[${formatIpv6(destination.address)}]:${destination.port}`,
  };
}

export const TOML6 = `
[dhcpv6]
preferred_time = 1000
valid_time = 2000
[[subnet]]
network = "fd77::/64"
interface = "eth0"
  [[subnet.pool]]
  range = "fd77::1000 - fd77::ffff:ffff:ffff:ffff"
  [[subnet.prefix_pool]]
  prefix = "fd77:1::/48"
  delegated_length = 56
`;

/** A server of both families in memory, and the packets to and from it. */
export function desk6(toml = TOML6, store = new MemoryStore6(), clock = fakeTime()) {
  const sent: AnyOutgoing[] = [];
  const own = new Set([ip6("fd77::1")]);
  const faults: object[] = [];
  const logged: string[] = [];
  const ingress: Ingress6 = {
    interfaceName: "eth0",
    addresses: [ip6("fd77::1")],
    sourceAddress: ip6("fe80::1"),
    sourcePort: 546,
    unicast: false,
    lab: false,
  };
  const counters = new Counters(COUNTERS);
  const parts = {
    clock: new EngineClock(clock, store.clock()),
    store,
    counters,
    log: {
      info: (_: object, message: string) => void logged.push(message),
      warn: (_: object, message: string) => void logged.push(message),
      error: (details: object, message: string) => {
        logged.push(message);
        if (message.includes("packet")) faults.push({ ...details, message });
      },
    },
    wire: {
      send: (batch: readonly AnyOutgoing[]) => {
        sent.push(...batch.map((each) => ({ ...each, bytes: each.bytes.slice() })));
      },
      probe: () => {},
      isOurs: () => false,
      ownAddresses: () => [],
      towards: () => undefined,
      ownAddresses6: () => own,
      through: () => ingress,
    },
  };
  let seed = 1;
  const more = {
    config: configOf(toml),
    version: "v1",
    random: (size: number) => new Uint8Array(size).fill(seed++),
  };
  const dhcp6 = new Dhcp6({ ...parts, ...more });
  const engine = new Engine(parts, new Dhcp4({ ...parts, ...more }), dhcp6);
  const taken = () => sent.splice(0).map((each) => replyOf6(each as Outgoing6));
  const sendAll = (type: number, { from, ...packet }: Sent6 = {}): Reply6[] => {
    engine.handle([{ family: 6, bytes: packetOf6(type, packet), ingress: { ...ingress, ...from } }]);
    return taken();
  };
  const send = (type: number, packet?: Sent6) => sendAll(type, packet)[0];
  return {
    engine,
    dhcp6,
    store,
    clock,
    counters,
    logged,
    faults,
    ingress,
    own,
    taken,
    send,
    solicit: (packet?: Sent6) => send(TYPE6.solicit, packet),
    request: (packet?: Sent6) => send(TYPE6.request, packet),
    renew: (packet?: Sent6) => send(TYPE6.renew, packet),
    rebind: (packet?: Sent6) => send(TYPE6.rebind, packet),
    release: (packet?: Sent6) => send(TYPE6.release, packet),
    decline: (packet?: Sent6) => send(TYPE6.decline, packet),
    confirm: (packet?: Sent6) => send(TYPE6.confirm, packet),
    inform: (packet?: Sent6) => send(TYPE6.informationRequest, { ias: [], ...packet }),
    /** A whole exchange; what the first IA got. */
    join: (packet: Sent6 = {}): string => {
      const advertise = send(TYPE6.solicit, packet);
      const ias = (advertise?.ias ?? []).map(({ type, iaid, leases }) => ({ type, iaid, leases }));
      return send(TYPE6.request, { ...packet, ias })?.leases[0]?.[1] ?? "";
    },
    pass: (seconds: number): void => {
      clock.advance(seconds * 1000);
      engine.tick();
    },
  };
}
