import { readConfig } from "@frontdesk/lease-config/validate";
import { formatIpv4, parseHex, parseIpv4, readU32, u32Bytes } from "@frontdesk/lease-options/address";
import { CODE, TYPE, TYPE_NAMES } from "@frontdesk/lease-options/option-table";
import { COUNTERS } from "../src/counter-names.ts";
import { describeOption } from "../src/dhcp4/describe.ts";
import { Dhcp4 } from "../src/dhcp4/dhcp4.ts";
import { decodeMessage, encodeMessage, type Message } from "../src/dhcp4/message.ts";
import {
  type DeviceNote,
  keepingRelay,
  type LeaseEvent,
  type LeaseRecord,
  type StoredLease,
} from "../src/leases/lease-record.ts";
import { Counters } from "../src/loop/counters.ts";
import { Engine } from "../src/loop/engine.ts";
import { EngineClock, type KeptClock } from "../src/loop/engine-clock.ts";
import type { Commit, LeaseStore } from "../src/loop/lease-store.ts";
import type { Ingress, Outgoing } from "../src/loop/wire.ts";
import { type FakeTime, fakeTime } from "./fake-time.ts";

export const ip = (text: string) => parseIpv4(text) as number;
export const SERVER = ip("10.77.0.1");
const EMPTY = new Uint8Array(0);

/** A store that keeps everything in memory, and can be told to fail. */
export class MemoryStore implements LeaseStore {
  readonly leases = new Map<number, StoredLease>();
  readonly notes = new Map<string, DeviceNote>();
  lastSeq = 0;
  readonly events: LeaseEvent[] = [];
  broken = false;
  /** A disk that is full takes so many rows at once, and no more. */
  room = Number.POSITIVE_INFINITY;

  kept: KeptClock = { offset: 0, bootId: null, bootTime: 0, replayAhead: 0 };

  commit({ writes, events, notes, clock }: Commit): void {
    if (this.broken || writes.length + events.length > this.room) throw new Error("the disk is full");
    for (const write of writes) {
      const seq = ++this.lastSeq;
      if (write.kind === "remove") this.leases.delete(write.ip);
      else if (write.kind === "put") {
        const before = write.keepRelay ? this.leases.get(write.lease.ip) : undefined;
        this.leases.set(write.lease.ip, {
          ...copied(before ? keepingRelay(write.lease, before) : write.lease),
          seq,
        });
      } else {
        const lease = this.leases.get(write.ip);
        if (!lease) continue;
        const { ip: _, kind, ...change } = write;
        const renewals = lease.renewals + (kind === "renew" ? 1 : 0);
        this.leases.set(write.ip, { ...lease, ...change, renewals, seq });
      }
    }
    this.events.push(...events.map((event) => ({ ...event, mac: event.mac.slice() })));
    for (const note of notes) this.notes.set(note.mac.toString(), note);
    if (clock) this.kept = clock;
  }

  tryWriting(): void {
    if (this.broken || this.room < 1000) throw new Error("the disk is full");
  }

  clock() {
    const seen = Math.max(0, ...[...this.leases.values()].map((lease) => lease.seen * 1000));
    return { ...this.kept, newest: seen };
  }

  note = (mac: Uint8Array) => this.notes.get(mac.toString());
  find = (address: number) => this.leases.get(address);
  /** By address, as the file has them. */
  all = () => [...this.leases.values()].sort((a, b) => a.ip - b.ip);
}

const copied = (lease: LeaseRecord): LeaseRecord => ({
  ...lease,
  mac: lease.mac.slice(),
  clientId: lease.clientId?.slice() ?? null,
  circuitId: lease.circuitId?.slice() ?? null,
  remoteId: lease.remoteId?.slice() ?? null,
  relayAgent: lease.relayAgent?.slice() ?? null,
  nonce: lease.nonce?.slice() ?? null,
});

export interface Reply {
  readonly type: string;
  readonly ip: string;
  readonly message: Message;
  readonly options: Record<string, unknown>;
  readonly to: string;
  readonly port: number;
  readonly hardware: boolean;
  /** The interface that it leaves by. */
  readonly through: string;
}

export interface Sent {
  readonly mac?: string;
  readonly giaddr?: string;
  readonly ciaddr?: string;
  readonly flags?: number;
  readonly xid?: number;
  readonly options?: ReadonlyArray<[number, Uint8Array | string | number]>;
  readonly from?: Partial<Ingress>;
}

/** A server in memory and the packets to and from it. */
export function desk(toml: string, store = new MemoryStore(), clock: FakeTime = fakeTime()) {
  const sent: Outgoing[] = [];
  const probed: number[] = [];
  const own = new Set([SERVER]);
  const mishaps: object[] = [];
  const ingress: Ingress = {
    interfaceName: "eth0",
    addresses: [SERVER],
    sourceAddress: 0,
    sourcePort: 68,
    unicast: false,
    lab: false,
  };
  const counters = new Counters(COUNTERS);
  const logged: string[] = [];
  let seed = 1;
  const parts = {
    clock: new EngineClock(clock, store.clock()),
    store,
    counters,
    log: {
      info: (_: object, message: string) => void logged.push(message),
      warn: (_: object, message: string) => void logged.push(message),
      error: (details: object, message: string) => {
        logged.push(message);
        if (message.includes("packet")) mishaps.push({ ...details, message });
      },
    },
    wire: {
      send: (batch: readonly Outgoing[]) => {
        sent.push(...batch.map((each) => ({ ...each, bytes: each.bytes.slice() })));
      },
      probe: (address: number) => void probed.push(address),
      isOurs: (address: number) => own.has(address),
      ownAddresses: () => own,
      towards: (_address: number, interfaceName = ingress.interfaceName) => ({ ...ingress, interfaceName }),
    },
  };
  const dhcp4 = new Dhcp4({
    ...parts,
    config: configOf(toml),
    version: "v1",
    random: (size) => new Uint8Array(size).fill(seed++),
  });
  const engine = new Engine(parts, dhcp4);
  const taken = () => sent.splice(0).map(replyOf);
  const send = (type: number, { from, ...packet }: Sent = {}): Reply[] => {
    engine.handle([{ bytes: packetOf(type, packet), ingress: { ...ingress, ...from } }]);
    return taken();
  };
  const discover = (packet?: Sent) => send(TYPE.discover, packet)[0];
  const takeOffer: Array<[number, Uint8Array]> = [[CODE.serverIdentifier, u32Bytes(SERVER)]];
  /** Takes an offer of this server. */
  const select = (address: string, packet: Sent = {}) =>
    send(TYPE.request, {
      ...packet,
      options: [...(packet.options ?? []), [CODE.requestedAddress, address], ...takeOffer],
    })[0];
  return {
    engine,
    dhcp4,
    logged,
    store,
    clock,
    counters,
    probed,
    own,
    mishaps,
    send,
    taken,
    ingress,
    discover,
    select,
    reboot: (address: string, packet: Sent = {}) =>
      send(TYPE.request, {
        ...packet,
        options: [...(packet.options ?? []), [CODE.requestedAddress, address]],
      })[0],
    /** A renewal, sent to the server alone. */
    renew: (address: string, packet: Sent = {}) =>
      send(TYPE.request, { ...packet, ciaddr: address, from: { unicast: true, ...packet.from } })[0],
    release: (address: string, packet: Sent = {}) =>
      send(TYPE.release, { ...packet, ciaddr: address, from: { unicast: true, ...packet.from } }),
    decline: (address: string, packet: Sent = {}) =>
      send(TYPE.decline, { ...packet, options: [[CODE.requestedAddress, address], ...takeOffer] }),
    /** A whole exchange; the address, or undefined. */
    join: (mac: string, packet: Sent = {}): string | undefined => {
      const offer = discover({ ...packet, mac });
      return offer && select(offer.ip, { ...packet, mac })?.type === "ACK" ? offer.ip : undefined;
    },
    pass: (seconds: number): void => {
      clock.advance(seconds * 1000);
      engine.tick();
    },
  };
}

export const configOf = (toml: string) => readConfig(`[server]\ninterfaces = ["eth0"]\n${toml}`);

export function packetOf(type: number, packet: Omit<Sent, "from">): Uint8Array {
  const chaddr = parseHex(packet.mac ?? "02:00:00:00:00:01") as Uint8Array;
  const options = new Map<number, Uint8Array>(type === 0 ? [] : [[CODE.messageType, Uint8Array.of(type)]]);
  for (const [code, value] of packet.options ?? []) options.set(code, bytesOf(code, value));
  const out = new Uint8Array(1500);
  const { length } = encodeMessage(
    {
      op: 1,
      htype: 1,
      hlen: chaddr.length,
      hops: 0,
      xid: packet.xid ?? 0x1234,
      secs: 0,
      flags: packet.flags ?? 0,
      ciaddr: packet.ciaddr ? ip(packet.ciaddr) : 0,
      yiaddr: 0,
      siaddr: 0,
      giaddr: packet.giaddr ? ip(packet.giaddr) : 0,
      chaddr,
      sname: EMPTY,
      file: EMPTY,
      options,
      type,
    },
    out,
    1500,
  );
  return out.slice(0, length);
}

function bytesOf(code: number, value: Uint8Array | string | number): Uint8Array {
  if (typeof value === "number") return u32Bytes(value);
  if (typeof value !== "string") return value;
  return code === CODE.requestedAddress ? u32Bytes(ip(value)) : new Uint8Array(Buffer.from(value));
}

export function replyOf({ bytes, destination, ingress }: Outgoing): Reply {
  const message = decodeMessage(bytes);
  if ("malformed" in message) throw new Error(message.malformed);
  return {
    type: TYPE_NAMES.get(message.type) ?? "BOOTP",
    ip: formatIpv4(message.yiaddr),
    message,
    options: Object.fromEntries([...message.options].map(([code, value]) => describeOption(code, value))),
    to: formatIpv4(destination.address),
    port: destination.port,
    hardware: destination.hardware !== undefined,
    through: ingress.interfaceName,
  };
}

export const relayOption = (...subOptions: Array<[number, number[] | string]>) =>
  Uint8Array.from(subOptions.flatMap(([code, value]) => [code, value.length, ...Buffer.from(value)]));

export const asU32 = (bytes: Uint8Array | undefined) => (bytes ? readU32(bytes, 0) : undefined);
