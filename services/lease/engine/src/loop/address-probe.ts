import { readU32, writeU32 } from "@frontdesk/lease-options/address";
import { type DeviceSocket, inetName, linkName } from "./device-socket.ts";
import { ETH_P_ARP, libc, MSG_DONTWAIT } from "./libc.ts";
import { sum } from "./raw-frame.ts";

const EVERYONE = new Uint8Array(6).fill(0xff);
const REQUEST = 1;
const REPLY = 2;
const ECHO_REQUEST = 8;
const ECHO_REPLY = 0;
const ROOM = 2048;

/** RFC 5227 section 2.1.1: an ARP probe names no sender address, so that nobody's cache is changed. */
export function sendArpProbe(device: DeviceSocket, address: number): void {
  const packet = Buffer.alloc(28);
  packet.set([0, 1, 8, 0, 6, 4, 0, REQUEST]);
  packet.set(device.hardware, 8);
  writeU32(packet, 24, address);
  libc().sendto(device.arp, packet, packet.length, 0, linkName(device.index, ETH_P_ARP, EVERYONE), 20);
}

/** Every address that someone on the link spoke for since the last time. */
export function readArp(device: DeviceSocket, heard: (address: number) => void): void {
  const packet = Buffer.alloc(ROOM);
  for (;;) {
    const length = libc().recv(device.arp, packet, ROOM, MSG_DONTWAIT);
    if (length < 0) return;
    const isIpv4 = length >= 28 && packet.readUInt16BE(2) === 0x0800 && packet[5] === 4;
    const own = packet.subarray(8, 14).equals(device.hardware);
    const sender = readU32(packet, 14);
    // A reply, or a request by one who has the address: both say that it is in use.
    if (isIpv4 && !own && sender !== 0 && (packet[7] === REPLY || packet[7] === REQUEST)) heard(sender);
  }
}

export function sendEcho(fd: number, address: number): void {
  const packet = Buffer.alloc(16);
  packet[0] = ECHO_REQUEST;
  packet.writeUInt16BE(process.pid & 0xffff, 4);
  packet.writeUInt16BE(~sum(packet, 0, packet.length, 0) & 0xffff, 2);
  libc().sendto(fd, packet, packet.length, MSG_DONTWAIT, inetName(address, 0), 16);
}

export function readEcho(fd: number, heard: (address: number) => void): void {
  const packet = Buffer.alloc(ROOM);
  for (;;) {
    const length = libc().recv(fd, packet, ROOM, MSG_DONTWAIT);
    if (length < 0) return;
    const header = ((packet[0] as number) & 15) * 4;
    if (length >= header + 8 && packet[header] === ECHO_REPLY) heard(readU32(packet, 12));
  }
}
