import { readU32 } from "@frontdesk/lease-options/address";
import type { Ingress } from "../dhcp4/exchange.ts";
import { readArp, readEcho, sendArpProbe, sendEcho } from "./address-probe.ts";
import {
  addressesOf,
  closeDevice,
  type DeviceIngress,
  type DeviceSocket,
  ingressOf,
  openDevice,
  openEcho,
  writeInetName,
  writeLinkName,
} from "./device-socket.ts";
import type { Datagram, Outgoing } from "./engine.ts";
import { ETH_P_IP, libc, POLLIN } from "./libc.ts";
import { MessageVector, NAME } from "./message-vector.ts";
import type { Network, NetworkEvents } from "./network.ts";
import { TICK_MS } from "./network.ts";
import { RAW_HEADERS, writeRawHeaders } from "./raw-frame.ts";

const ROUND = 1024;
const SLOT = 1536;
const POLL_ENTRY = 8;
const REFRESH_MS = 2000;

/**
 * DHCP on real interfaces. The loop blocks in poll, takes all that waits, and hands it on as one
 * round. It never returns to the event loop until it is stopped: the thread is its own.
 */
export class DeviceNetwork implements Network {
  readonly #devices: DeviceSocket[] = [];
  readonly #echo: number | undefined;
  readonly #incoming = new MessageVector(ROUND, SLOT);
  readonly #outgoing = new MessageVector(ROUND, SLOT);
  readonly #wake: number;
  readonly #onSendError: (code: string) => void;
  #ours = new Set<number>();
  #stopped = false;

  constructor(interfaces: readonly string[], wake: number, onSendError: (code: string) => void) {
    this.#wake = wake;
    this.#onSendError = onSendError;
    try {
      for (const name of interfaces) this.#devices.push(openDevice(name));
    } catch (error) {
      this.#devices.forEach(closeDevice);
      throw error;
    }
    this.#echo = openEcho();
    this.#refresh();
  }

  isOurs = (address: number) => this.#ours.has(address);

  towards(address: number): Ingress | undefined {
    const near = this.#devices.find(({ addresses, masks }) =>
      addresses.some((own, i) => ((own ^ address) & (masks[i] as number)) === 0),
    );
    const device = near ?? this.#devices[0];
    return device && ingressOf(device, 0, 68);
  }

  probe(address: number, ingress: Ingress): void {
    const { device } = ingress as DeviceIngress;
    // On the link itself by ARP; behind a relay, where ARP does not reach, by echo.
    sendArpProbe(device, address);
    if (this.#echo !== undefined) sendEcho(this.#echo, address);
  }

  send(batch: readonly Outgoing[]): void {
    for (const device of this.#devices) {
      this.#sendFrom(device, batch, false);
      this.#sendFrom(device, batch, true);
    }
  }

  async run(events: NetworkEvents): Promise<void> {
    let probing = events.probing();
    let descriptors = this.#pollSet(probing);
    let tickAt = performance.now() + TICK_MS;
    let refreshAt = performance.now() + REFRESH_MS;
    while (!this.#stopped) {
      const wait = Math.max(0, Math.min(tickAt - performance.now(), events.patience()));
      if (events.probing() !== probing) {
        probing = !probing;
        descriptors = this.#pollSet(probing);
      }
      libc().poll(descriptors, descriptors.length / POLL_ENTRY, Math.ceil(wait));
      this.#readAside(descriptors, events);
      const round = this.#takeRound();
      if (round.length > 0) events.packets(round);
      const now = performance.now();
      if (now >= tickAt || events.patience() === 0) {
        events.tick();
        tickAt = performance.now() + TICK_MS;
      }
      if (now >= refreshAt) {
        this.#refresh();
        refreshAt = now + REFRESH_MS;
      }
    }
    this.#devices.forEach(closeDevice);
    if (this.#echo !== undefined) libc().close(this.#echo);
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Interfaces get and lose addresses while the engine runs. */
  #refresh(): void {
    for (const device of this.#devices) Object.assign(device, addressesOf(device.name));
    this.#ours = new Set(this.#devices.flatMap((device) => device.addresses));
  }

  /** What to wait for; poll passes over a descriptor of -1. */
  #pollSet(probing: boolean): Buffer {
    const wanted = [
      this.#wake,
      probing ? (this.#echo ?? -1) : -1,
      ...this.#devices.map(({ arp }) => (probing ? arp : -1)),
      ...this.#devices.map(({ udp }) => udp),
    ];
    const set = Buffer.from(new ArrayBuffer(wanted.length * POLL_ENTRY));
    wanted.forEach((fd, i) => {
      set.writeInt32LE(fd, i * POLL_ENTRY);
      set.writeInt16LE(POLLIN, i * POLL_ENTRY + 4);
    });
    return set;
  }

  /** Everything in the poll set that is not DHCP. */
  #readAside(descriptors: Buffer, events: NetworkEvents): void {
    const ready = (i: number) => (descriptors.readInt16LE(i * POLL_ENTRY + 6) & POLLIN) !== 0;
    if (ready(0)) {
      libc().read(this.#wake, Buffer.alloc(8), 8);
      events.called();
    }
    if (this.#echo !== undefined && ready(1)) readEcho(this.#echo, (address) => events.answered(address));
    this.#devices.forEach((device, i) => {
      if (ready(2 + i)) readArp(device, (address) => events.answered(address));
    });
  }

  #takeRound(): Datagram[] {
    const round: Datagram[] = [];
    let from = 0;
    for (const device of this.#devices) {
      const got = this.#incoming.receive(device.udp, from);
      for (let i = from; i < from + got; i++) {
        const name = i * NAME;
        const port = this.#incoming.names.readUInt16BE(name + 2);
        const ingress = ingressOf(device, readU32(this.#incoming.names, name + 4), port);
        round.push({ bytes: this.#incoming.bytes(i), ingress });
      }
      from += got;
    }
    return round;
  }

  #sendFrom(device: DeviceSocket, batch: readonly Outgoing[], raw: boolean): void {
    const vector = this.#outgoing;
    let count = 0;
    for (const { bytes, destination, ingress } of batch) {
      if ((ingress as DeviceIngress).device !== device || (destination.hardware !== undefined) !== raw)
        continue;
      const at = count * SLOT;
      if (raw) {
        vector.payload.set(bytes, at + RAW_HEADERS);
        const from = device.addresses[0] ?? 0;
        writeRawHeaders(vector.payload, at, bytes.length, from, destination.address, destination.port);
        writeLinkName(vector.names, count * NAME, device.index, ETH_P_IP, destination.hardware);
        vector.fill(count, bytes.length + RAW_HEADERS, 20);
      } else {
        vector.payload.set(bytes, at);
        writeInetName(vector.names, count * NAME, destination.address, destination.port);
        vector.fill(count, bytes.length, 16);
      }
      count++;
    }
    if (count > 0) vector.send(raw ? device.packet : device.udp, count, (_, code) => this.#onSendError(code));
  }
}
