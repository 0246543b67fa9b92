import { randomBytes } from "node:crypto";
import { readU32, writeU32 } from "@frontdesk/lease-options/address";
import { type DeviceSocket, inetName, isOnLink, linkName } from "./device-socket.ts";
import { ETH_P_ARP, libc, MSG_DONTWAIT, PACKET_OTHERHOST } from "./libc.ts";
import { sum } from "./raw-frame.ts";
import type { ProbeAnswer } from "./wire.ts";

const EVERYONE = new Uint8Array(6).fill(0xff);
const REQUEST = 1;
const REPLY = 2;
const ECHO_REQUEST = 8;
const ECHO_REPLY = 0;
const ECHO_HEADER = 8;
/** Of this engine's questions. */
export const ECHO_IDENTIFIER = process.pid & 0xffff;
const ROOM = 2048;
const TOKEN = 8;
/** Read in one turn of the loop: whoever sends faster than that shall not keep it from its packets. */
const MAX_READ = 512;
/** Echo requests whose answers are still known; the oldest is forgotten first. */
const MAX_ASKED = 4096;

/** RFC 5227 section 2.1.1: an ARP probe names no sender address, so that nobody's cache is changed. */
export function sendArpProbe(fd: number, device: DeviceSocket, address: number): void {
  const packet = Buffer.alloc(28);
  packet.set([0, 1, 8, 0, 6, 4, 0, REQUEST]);
  packet.set(device.hardware, 8);
  writeU32(packet, 24, address);
  const to = linkName(device.index, ETH_P_ARP, EVERYONE);
  libc().sendto(fd, packet, packet.length, MSG_DONTWAIT, to, 20);
}

/**
 * The addresses that someone on these links spoke for since the last time, each on its own link: elsewhere anyone could
 * keep another link's addresses from its clients. An error is read away, too.
 */
export function readArp(
  fd: number,
  devices: readonly DeviceSocket[],
  heard: (answer: ProbeAnswer) => void,
): void {
  const packet = Buffer.alloc(ROOM);
  const link = linkName(0, 0, undefined);
  const linkSize = Buffer.alloc(4);
  const byIndex = new Map(devices.map((device) => [device.index, device]));
  for (let left = MAX_READ; left > 0; left--) {
    linkSize.writeUInt32LE(link.length);
    const length = libc().recvfrom(fd, packet, ROOM, MSG_DONTWAIT, link, linkSize);
    if (length < 0) return;
    const device = byIndex.get(link.readInt32LE(4));
    // For another host, or of a VLAN that no interface here is for.
    if (!device || link[10] === PACKET_OTHERHOST) continue;
    const isIpv4 = length >= 28 && packet.readUInt16BE(2) === 0x0800 && packet[4] === 6 && packet[5] === 4;
    const hardware = new Uint8Array(packet.subarray(8, 14));
    const own = packet.subarray(8, 14).equals(device.hardware);
    const address = readU32(packet, 14);
    // A reply, or a request by one who has the address: both say that it is in use.
    const speaks = isIpv4 && address !== 0 && (packet[7] === REPLY || packet[7] === REQUEST);
    if (speaks && !own && isOnLink(device, address)) heard({ address, hardware });
  }
}

/** Echo requests, each with a token that only who received it can send back (RFC 792). */
export class EchoProbe {
  readonly fd: number;
  readonly #asked = new Map<number, Buffer>();

  constructor(fd: number) {
    this.fd = fd;
  }

  /** Makes the token of a question. */
  ask(address: number): Buffer {
    const token = randomBytes(TOKEN);
    this.#asked.delete(address);
    this.#asked.set(address, token);
    if (this.#asked.size > MAX_ASKED) this.#asked.delete(this.#asked.keys().next().value as number);
    return token;
  }

  send(address: number): void {
    const packet = Buffer.alloc(ECHO_HEADER + TOKEN);
    packet[0] = ECHO_REQUEST;
    packet.writeUInt16BE(ECHO_IDENTIFIER, 4);
    packet.set(this.ask(address), ECHO_HEADER);
    packet.writeUInt16BE(~sum(packet, 0, packet.length, 0) & 0xffff, 2);
    libc().sendto(this.fd, packet, packet.length, MSG_DONTWAIT, inetName(address, 0), 16);
  }

  read(heard: (answer: ProbeAnswer) => void): void {
    const packet = Buffer.alloc(ROOM);
    for (let left = MAX_READ; left > 0; left--) {
      const length = libc().recv(this.fd, packet, ROOM, MSG_DONTWAIT);
      if (length < 0) return;
      const address = this.answerOf(packet.subarray(0, length));
      if (address !== undefined) heard({ address, hardware: undefined });
    }
  }

  /** The address that a packet, IP header and all, answers for; undefined when it answers no question of ours. */
  answerOf(packet: Buffer): number | undefined {
    const header = ((packet[0] ?? 0) & 15) * 4;
    if (packet.length < header + ECHO_HEADER + TOKEN || header < 20) return undefined;
    if (packet[header] !== ECHO_REPLY || packet.readUInt16BE(header + 4) !== ECHO_IDENTIFIER) {
      return undefined;
    }
    const address = readU32(packet, 12);
    const token = packet.subarray(header + ECHO_HEADER, header + ECHO_HEADER + TOKEN);
    return this.#asked.get(address)?.equals(token) ? address : undefined;
  }
}
