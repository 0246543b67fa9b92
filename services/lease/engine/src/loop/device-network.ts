import { readIpv6, readU32 } from "@frontdesk/lease-options/address";
import { ECHO_IDENTIFIER, EchoProbe, readArp, sendArpProbe } from "./address-probe.ts";
import {
  closeDevice,
  closedDevice,
  type DeviceIngress,
  type DeviceIngress6,
  type DeviceSocket,
  INET6_NAME,
  indexOf,
  ingress6Of,
  ingressOf,
  isOnLink,
  linkNow,
  listen6,
  openDevice,
  problem6Of,
  type Sockets,
  writeInet6Name,
  writeInetName,
  writeLinkName,
} from "./device-socket.ts";
import { ETH_P_IP, libc, POLL_TROUBLE, POLLIN } from "./libc.ts";
import { type Links, linksNow } from "./link-addresses.ts";
import { MessageVector, NAME } from "./message-vector.ts";
import { membershipsNow } from "./multicast-groups.ts";
import { type InterfaceState, type Network, type NetworkEvents, TICK_MS } from "./network.ts";
import { hearArpOf, hearEchoesOf } from "./probe-filters.ts";
import { RAW_HEADERS, writeRawHeaders } from "./raw-frame.ts";
import type { AnyDatagram, AnyOutgoing, Ingress, Ingress6 } from "./wire.ts";

const MAX_ROUND = 1024;
const SLOT = 1536;
const POLL_ENTRY = 8;
const REFRESH_MS = 2000;
/** While packets keep coming, but so few in a millisecond, a moment more of them share one transaction. */
const GATHER_MS = 1;
const MAX_TRICKLE_PER_MS = 4;
const STEADY_MS = 3;

/** What packets come from: a socket of one family on an interface. */
interface Source {
  readonly device: DeviceSocket;
  readonly family: 4 | 6;
}

const CLIENT_PORT6 = 546;
const isLinkLocal = (address: bigint) => address >> 118n === 0x3fan;

/** A descriptor that is waited for, and what is done when there is something to read or something wrong. */
export interface Watched {
  readonly fd: number;
  ready(events: NetworkEvents): void;
}

/**
 * DHCP on real interfaces. The loop blocks in poll, takes all that waits, and hands it on as one
 * round. It never returns to the event loop until it is stopped: the thread is its own.
 */
export class DeviceNetwork implements Network {
  #devices: DeviceSocket[];
  #sources: Source[] = [];
  readonly #packet: number;
  readonly #arp: number;
  readonly #echo: EchoProbe | undefined;
  readonly #incoming = new MessageVector(MAX_ROUND, SLOT);
  readonly #outgoing = new MessageVector(MAX_ROUND, SLOT);
  readonly #wake: number;
  readonly #onSendError: (code: string) => void;
  #ours = new Set<number>();
  #stopped = false;
  #turn = 0;
  #state = "";
  /** What others wait for in this loop. */
  readonly #registered = new Set<Watched>();
  readonly #calledOff = new WeakSet<Watched>();
  #isWatchedAnew = false;

  constructor({ devices, packet, arp, echo }: Sockets, wake: number, onSendError: (code: string) => void) {
    this.#devices = devices.map((device) => ({ ...device }));
    this.#packet = packet;
    this.#arp = arp;
    this.#echo = echo === undefined ? undefined : new EchoProbe(echo);
    this.#wake = wake;
    this.#onSendError = onSendError;
    this.#refresh();
  }

  isOurs = (address: number) => this.#ours.has(address);
  ownAddresses = () => this.#ours;
  ownAddresses6 = () => this.#devices.flatMap(({ addresses6 }) => addresses6);

  through(interfaceName: string): Ingress6 | undefined {
    const device = this.#devices.find(({ name, servesV6 }) => name === interfaceName && servesV6);
    return device && ingress6Of(device, { address: 0n, port: CLIENT_PORT6 }, false);
  }

  towards(address: number, interfaceName?: string): Ingress | undefined {
    const open = this.#devices.filter(({ udp }) => udp >= 0);
    const device =
      open.find(({ name }) => name === interfaceName) ??
      open.find((each) => isOnLink(each, address)) ??
      open[0];
    return device && ingressOf(device, { address: 0, port: 68 }, false);
  }

  /** By ARP on the link itself; by echo where ARP does not reach, or a router would answer it for everyone. */
  probe(address: number, ingress: Ingress): void {
    const { device } = ingress as DeviceIngress;
    if (isOnLink(device, address)) sendArpProbe(this.#arp, device, address);
    else this.#echo?.send(address);
  }

  send(batch: readonly AnyOutgoing[]): void {
    const names = new Set(
      batch.map(({ ingress }) => (ingress as DeviceIngress | DeviceIngress6).device.name),
    );
    for (const device of this.#devices) {
      if (!names.has(device.name)) continue;
      for (let from = 0; from < batch.length; from += MAX_ROUND) {
        const part = batch.length <= MAX_ROUND ? batch : batch.slice(from, from + MAX_ROUND);
        this.#sendFrom(device, part, false);
        this.#sendFrom(device, part, true);
        if (device.udp6 >= 0) this.#sendFrom6(device, part);
      }
    }
  }

  /**
   * Waits for another descriptor in this loop, which leaves no other to wait in; answers how to stop. That must be done
   * before the descriptor is closed: one that is closed and still waited for would make every wait end at once.
   */
  register(watched: Watched): () => void {
    this.#registered.add(watched);
    this.#calledOff.delete(watched);
    this.#isWatchedAnew = true;
    return () => {
      this.#registered.delete(watched);
      this.#calledOff.add(watched);
      this.#isWatchedAnew = true;
    };
  }

  async run(events: NetworkEvents): Promise<void> {
    let watched: Watched[] = [];
    let descriptors = Buffer.alloc(0);
    let probing: boolean | undefined;
    let tickAt = performance.now() + TICK_MS;
    let refreshAt = 0;
    let last = { takenAt: 0, doneAt: 0, perMs: 0 };
    while (!this.#stopped) {
      const now = performance.now();
      const changed = now >= refreshAt && this.#refresh(events);
      if (now >= refreshAt) refreshAt = now + REFRESH_MS;
      if (changed || this.#isWatchedAnew || events.probing() !== probing) {
        this.#isWatchedAnew = false;
        probing = events.probing();
        hearArpOf(this.#arp, probing ? this.#devices.map(({ index }) => index) : []);
        if (this.#echo) hearEchoesOf(this.#echo.fd, probing ? [ECHO_IDENTIFIER] : []);
        watched = this.#watch(probing);
        descriptors = pollSet(watched, this.#sources);
      }
      const wait = Math.max(0, Math.min(tickAt - performance.now(), events.patience()));
      libc().poll(descriptors, descriptors.length / POLL_ENTRY, Math.ceil(wait));
      watched.forEach((each, i) => {
        // One that was ready before it may have called it off.
        if (isReady(descriptors, i) && !this.#calledOff.has(each)) each.ready(events);
      });
      const isSteady = performance.now() - last.doneAt < STEADY_MS;
      if (isSteady && last.perMs < MAX_TRICKLE_PER_MS) libc().poll(null, 0, GATHER_MS);
      const round = this.#takeRound(this.#sources.filter((_, i) => isReady(descriptors, watched.length + i)));
      if (round.length > 0) {
        const takenAt = performance.now();
        events.packets(round);
        const perMs = round.length / (takenAt - last.takenAt);
        last = { takenAt, doneAt: performance.now(), perMs };
      }
      if (performance.now() >= tickAt || events.patience() === 0) {
        events.tick();
        tickAt = performance.now() + TICK_MS;
      }
    }
    this.#devices.forEach(closeDevice);
    for (const fd of [this.#packet, this.#arp, this.#echo?.fd ?? -1]) if (fd >= 0) libc().close(fd);
  }

  stop(): void {
    this.#stopped = true;
  }

  /**
   * Interfaces get and lose addresses while the engine runs; one that was taken away and made again
   * is another one for the system, and gets new sockets. Answers whether the sockets are others now:
   * a descriptor that is closed and still waited for would make every wait end at once.
   */
  #refresh(events?: NetworkEvents): boolean {
    let changed = false;
    let links: Links;
    let indexes: number[];
    try {
      links = linksNow();
      indexes = this.#devices.map(({ name }) => indexOf(name));
    } catch {
      // No descriptor is left to ask with. What is served goes on being served; it is asked again at the next refresh.
      return false;
    }
    const memberships = this.#devices.some(({ udp6 }) => udp6 >= 0) ? membershipsNow() : undefined;
    // All of them before any is opened: of two that have exchanged their names, each would find its port in use.
    this.#devices.filter(({ index }, i) => index !== indexes[i]).forEach(closeDevice);
    this.#devices = this.#devices.map((former, i) => {
      const index = indexes[i] as number;
      const isSame = index === former.index;
      const device = isSame ? former : openAgain(former, index, links);
      changed ||= !isSame;
      // Why one cannot be served is no longer true of one that went.
      if (device.index === 0) return isSame ? Object.assign(device, { problem: undefined }) : device;
      Object.assign(device, linkNow(device, links));
      const { servesV6, udp6 } = device;
      if (servesV6 && (udp6 < 0 || memberships)) {
        const error = listen6(device, memberships);
        device.problem = problem6Of(device, error, events?.needsIpv6(device.name) ?? false);
        changed ||= device.udp6 !== udp6;
      }
      return device;
    });
    this.#sources = this.#devices.flatMap((device): Source[] => [
      { device, family: 4 },
      ...(device.servesV6 ? [{ device, family: 6 } as const] : []),
    ]);
    this.#ours = new Set(this.#devices.flatMap((device) => device.addresses));
    this.#tellChange(events);
    return changed;
  }

  #tellChange(events: NetworkEvents | undefined): void {
    if (!events) return;
    const interfaces: InterfaceState[] = this.#devices.map((device) => {
      const { name, addresses, addresses6, index, hasCarrier, problem } = device;
      return { name, addresses, addresses6, isServed: index !== 0, hasCarrier, problem };
    });
    const plain = (_: string, value: unknown) => (typeof value === "bigint" ? value.toString(16) : value);
    const state = JSON.stringify(interfaces, plain);
    if (state === this.#state) return;
    this.#state = state;
    events.interfacesChanged(interfaces);
  }

  /** Everything to wait for that is not DHCP. */
  #watch(probing: boolean): Watched[] {
    const wake: Watched = {
      fd: this.#wake,
      ready: (events) => {
        libc().read(this.#wake, Buffer.alloc(8), 8);
        events.called();
      },
    };
    const watched = [wake, ...this.#registered];
    if (!probing) return watched;
    const echo = this.#echo;
    return [
      ...watched,
      ...(echo
        ? [{ fd: echo.fd, ready: (events: NetworkEvents) => echo.read((each) => events.answered(each)) }]
        : []),
      {
        fd: this.#arp,
        ready: (events) => readArp(this.#arp, this.#devices, (each) => events.answered(each)),
      },
    ];
  }

  /**
   * A fair share of the round for each source that is ready, and what is left of it to whoever has more. The others are
   * not asked: of hundreds, that would take longer than their packets.
   */
  #takeRound(ready: readonly Source[]): AnyDatagram[] {
    const round: AnyDatagram[] = [];
    const count = ready.length;
    if (count === 0) return round;
    const share = Math.max(1, Math.floor(MAX_ROUND / count));
    this.#turn = (this.#turn + 1) % count;
    const inTurn = ready.map((_, i) => ready[(i + this.#turn) % count] as Source);
    const eager = inTurn.filter((source) => this.#receive(source, share, round) === share);
    for (const source of eager) this.#receive(source, MAX_ROUND - round.length, round);
    return round;
  }

  #receive({ device, family }: Source, most: number, round: AnyDatagram[]): number {
    const from = round.length;
    const got = this.#incoming.receive(family === 4 ? device.udp : device.udp6, from, most);
    for (let i = from; i < from + got; i++) {
      const name = i * NAME;
      const port = this.#incoming.names.readUInt16BE(name + 2);
      if (family === 6) {
        const source = { address: readIpv6(this.#incoming.names, name + 8), port };
        const ingress = ingress6Of(device, source, this.#incoming.isSentToOne6(i));
        round.push({ family, bytes: this.#incoming.bytes(i), ingress });
        continue;
      }
      const address = readU32(this.#incoming.names, name + 4);
      const unicast = this.#ours.has(this.#incoming.sentTo(i));
      round.push({ bytes: this.#incoming.bytes(i), ingress: ingressOf(device, { address, port }, unicast) });
    }
    return got;
  }

  #sendFrom6(device: DeviceSocket, batch: readonly AnyOutgoing[]): void {
    const vector = this.#outgoing;
    let count = 0;
    for (const each of batch) {
      if (each.family !== 6) continue;
      const { bytes, destination, ingress } = each;
      if ((ingress as DeviceIngress6).device.name !== device.name) continue;
      const scope = isLinkLocal(destination.address) ? device.index : 0;
      vector.payload.set(bytes, count * SLOT);
      writeInet6Name(vector.names, count * NAME, destination.address, destination.port, scope);
      vector.fill(count, bytes.length, INET6_NAME, 0);
      count++;
    }
    if (count > 0) vector.send(device.udp6, count, (_, code) => this.#onSendError(code));
  }

  #sendFrom(device: DeviceSocket, batch: readonly AnyOutgoing[], raw: boolean): void {
    const vector = this.#outgoing;
    let count = 0;
    for (const each of batch) {
      if (each.family === 6) continue;
      const { bytes, source, destination, ingress } = each;
      const isRaw = destination.hardware !== undefined;
      if ((ingress as DeviceIngress).device.name !== device.name || isRaw !== raw) continue;
      const at = count * SLOT;
      const own = device.addresses.includes(source) ? source : (device.addresses[0] ?? 0);
      if (raw) {
        vector.payload.set(bytes, at + RAW_HEADERS);
        writeRawHeaders(vector.payload, at, bytes.length, own, destination.address, destination.port);
        writeLinkName(vector.names, count * NAME, device.index, ETH_P_IP, destination.hardware);
        vector.fill(count, bytes.length + RAW_HEADERS, 20, 0);
      } else {
        vector.payload.set(bytes, at);
        writeInetName(vector.names, count * NAME, destination.address, destination.port);
        vector.fill(count, bytes.length, 16, own);
      }
      count++;
    }
    if (count > 0) vector.send(raw ? this.#packet : device.udp, count, (_, code) => this.#onSendError(code));
  }
}

/** An interface that is another one now; one that cannot be opened is tried again at the next refresh. */
function openAgain({ name, servesV6 }: DeviceSocket, index: number, links: Links): DeviceSocket {
  if (index === 0) return closedDevice(name, servesV6);
  try {
    return openDevice(name, servesV6, links);
  } catch (error) {
    return closedDevice(name, servesV6, (error as Error).message);
  }
}

/** An error counts, too: it is read away. */
const isReady = (descriptors: Buffer, i: number) =>
  (descriptors.readInt16LE(i * POLL_ENTRY + 6) & (POLLIN | POLL_TROUBLE)) !== 0;

function pollSet(watched: readonly Watched[], sources: readonly Source[]): Buffer<ArrayBuffer> {
  const sockets = sources.map(({ device, family }) => (family === 4 ? device.udp : device.udp6));
  const wanted = [...watched.map(({ fd }) => fd), ...sockets];
  const set = Buffer.from(new ArrayBuffer(wanted.length * POLL_ENTRY));
  wanted.forEach((fd, i) => {
    set.writeInt32LE(fd, i * POLL_ENTRY);
    set.writeInt16LE(POLLIN, i * POLL_ENTRY + 4);
  });
  return set;
}
