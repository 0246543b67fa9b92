import { StartProblem } from "@frontdesk/kit/problem";
import { writeIpv6, writeU32 } from "@frontdesk/lease-options/address";
import {
  AF_INET,
  AF_INET6,
  AF_PACKET,
  bindToDevice,
  ETH_P_ARP,
  IP_PKTINFO,
  IPPROTO_ICMP,
  IPPROTO_IP,
  IPPROTO_IPV6,
  IPV6_RECVPKTINFO,
  IPV6_V6ONLY,
  lastError,
  libc,
  must,
  SIOCGIFFLAGS,
  SIOCGIFHWADDR,
  SO_BROADCAST,
  SO_RCVBUF,
  SO_RCVBUFFORCE,
  SO_SNDBUF,
  SO_SNDBUFFORCE,
  SOCK_CLOEXEC,
  SOCK_DGRAM,
  SOCK_RAW,
  SystemError,
  setOption,
} from "./libc.ts";
import { type LinkAddresses, type Links, linksNow, NO_ADDRESSES } from "./link-addresses.ts";
import { joinGroups, type Memberships, NO_MEMBERSHIPS } from "./multicast-groups.ts";
import { hearArpOf, hearEchoesOf } from "./probe-filters.ts";
import type { Ingress, Ingress6 } from "./wire.ts";

/** What waits here while a batch is on its way to disk, or a configuration is applied. */
const RECEIVE_BUFFER = 8 * 1024 * 1024;

/** What waits here for clients that do not answer for their address, while others are served. */
const SEND_BUFFER = 4 * 1024 * 1024;

/** More than the queue of one link holds, so that a link that stands still leaves room for the others. */
const FRAME_BUFFER = 16 * 1024 * 1024;

/** One interface and the sockets for DHCP on it. */
export interface DeviceSocket {
  readonly name: string;
  readonly index: number;
  /** A bridge, for instance, takes that of a port which comes. */
  hardware: Uint8Array;
  readonly udp: number;
  /** DHCPv6; -1 while it is not open. */
  udp6: number;
  readonly servesV6: boolean;
  addresses: readonly number[];
  masks: readonly number[];
  /** Without those of the link itself. */
  addresses6: readonly bigint[];
  hasIpv6: boolean;
  /** It is up, and so is the link: a cable is in, for instance. */
  hasCarrier: boolean;
  /** Why it is there and not served, or only for IPv4. */
  problem?: string | undefined;
}

export const SERVER_PORT6 = 547;

/** One that is not there, or cannot be served for now. */
export function closedDevice(name: string, servesV6: boolean, problem?: string): DeviceSocket {
  const closed = { name, index: 0, hardware: new Uint8Array(6), udp: -1, udp6: -1, servesV6 };
  return { ...closed, ...NO_ADDRESSES, hasCarrier: false, ...(problem && { problem }) };
}

/** The size of a struct ifreq, and of the name that it begins with. */
const IFREQ = 40;
const IFNAMSIZ = 16;
/** IFF_UP with IFF_RUNNING. */
const CARRIER = 0x41;

/**
 * The number of an interface; 0 when there is none whose own name it is: the system also finds it by alternative names,
 * under which it tells of no addresses. Throws where the system cannot tell, for want of descriptors, say.
 */
export function indexOf(name: string): number {
  const index = libc().if_nametoindex(name);
  if (index === 0 && lastError() !== "ENODEV") throw new SystemError("asking for the interface", lastError());
  return nameOf(index) === name ? index : 0;
}

/** The system's own name of an interface; nothing where there is none of that number. */
function nameOf(index: number): string {
  const name = Buffer.alloc(IFNAMSIZ);
  libc().if_indextoname(index, name);
  return name.toString("utf8", 0, name.indexOf(0));
}

/** For IPv4; IPv6 is opened by `listen6`, since a link may have none. */
export function openDevice(name: string, servesV6: boolean, links: Links): DeviceSocket {
  const index = indexOf(name);
  if (index === 0) {
    const own = nameOf(libc().if_nametoindex(name));
    throw new StartProblem(
      own
        ? `"${name}" is another name of the interface "${own}": write "${own}" in [server] interfaces.`
        : `There is no interface "${name}" on this machine: name one of ${[...links.keys()].map(nameOf).join(", ")} in [server] interfaces.`,
    );
  }
  const udp = openUdp(AF_INET);
  try {
    setOption(udp, SO_BROADCAST, 1);
    setOption(udp, IP_PKTINFO, 1, IPPROTO_IP);
    bindToDevice(udp, name);
    must("binding to port 67", libc().bind(udp, inetName(0, 67), 16));
    return { name, index, udp, udp6: -1, servesV6, ...linkNow({ name, index, udp }, links) };
  } catch (error) {
    libc().close(udp);
    if (error instanceof SystemError) throw new StartProblem(explained(name, error));
    throw error;
  }
}

/** A socket with room for what comes and goes at once. */
function openUdp(domain: number): number {
  const fd = must("opening a socket", libc().socket(domain, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  widenBuffer(fd, SO_RCVBUFFORCE, SO_RCVBUF, RECEIVE_BUFFER);
  widenBuffer(fd, SO_SNDBUFFORCE, SO_SNDBUF, SEND_BUFFER);
  return fd;
}

function openUdp6(name: string): number {
  const udp6 = openUdp(AF_INET6);
  try {
    setOption(udp6, IPV6_V6ONLY, 1, IPPROTO_IPV6);
    setOption(udp6, IPV6_RECVPKTINFO, 1, IPPROTO_IPV6);
    bindToDevice(udp6, name);
    const all = Buffer.alloc(INET6_NAME);
    writeInet6Name(all, 0, 0n, SERVER_PORT6, 0);
    must(`binding to port ${SERVER_PORT6}`, libc().bind(udp6, all, INET6_NAME));
    return udp6;
  } catch (error) {
    libc().close(udp6);
    throw error;
  }
}

const openPacket = (protocol: number) =>
  must("opening a socket", libc().socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, protocol));

/** The socket for echo requests to addresses behind relays; undefined where the system forbids it. */
function openEcho(): number | undefined {
  const fd = libc().socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
  if (fd < 0) return undefined;
  hearEchoesOf(fd, []);
  widenBuffer(fd, SO_RCVBUFFORCE, SO_RCVBUF, RECEIVE_BUFFER);
  return fd;
}

function explained(name: string, { code, message }: SystemError): string {
  if (code === "EPERM" || code === "EACCES") {
    return `The interface "${name}" cannot be served without rights (${message}): start as root, or give the node binary CAP_NET_BIND_SERVICE and CAP_NET_RAW.`;
  }
  if (code === "EADDRINUSE") {
    return `Port ${message.includes(`${SERVER_PORT6}`) ? SERVER_PORT6 : 67} on "${name}" is already in use: stop the other DHCP server on this machine.`;
  }
  return `The interface "${name}" cannot be served: ${message}.`;
}

function widenBuffer(fd: number, forced: number, allowed: number, size: number): void {
  try {
    setOption(fd, forced, size);
  } catch {
    // Without CAP_NET_ADMIN the system's limit holds.
    setOption(fd, allowed, size);
  }
}

/**
 * Sees that clients of DHCPv6 are heard on an open interface. Answers why they are not: IPv4 is served there all the same.
 * Where the system does not tell of memberships, those of an open socket are taken to last.
 */
export function listen6(device: DeviceSocket, memberships: Memberships | undefined): SystemError | undefined {
  const isNew = device.udp6 < 0;
  try {
    if (isNew) device.udp6 = openUdp6(device.name);
    const joined = isNew ? NO_MEMBERSHIPS : memberships;
    if (joined) joinGroups(device.udp6, device.index, joined);
    return undefined;
  } catch (error) {
    if (error instanceof SystemError) return error;
    throw error;
  }
}

/** Why DHCPv6 is not served on an open interface, as an operator is told; undefined if it is, or need not be, or the link is down. */
export function problem6Of(
  { name, hasIpv6, hasCarrier }: DeviceSocket,
  error: SystemError | undefined,
  needsIpv6: boolean,
): string | undefined {
  if (error?.code === "EADDRINUSE") return explained(name, error);
  if (!error && (hasIpv6 || !hasCarrier || !needsIpv6)) return undefined;
  const why = error?.message ?? "it has no address of IPv6";
  return `DHCPv6 cannot be served on the interface "${name}": ${why}. See that its MTU is 1280 or more and that IPv6 is not disabled on it.`;
}

export function closeDevice(device: DeviceSocket): void {
  for (const fd of [device.udp, device.udp6]) if (fd >= 0) libc().close(fd);
}

/** Whether an address is on the interface's own link. */
export const isOnLink = ({ addresses, masks }: DeviceSocket, address: number) =>
  addresses.some((own, i) => ((own ^ address) & (masks[i] as number)) === 0);

/** What an open interface has now. */
export function linkNow(
  { name, index, udp }: Pick<DeviceSocket, "name" | "index" | "udp">,
  links: Links,
): LinkAddresses & Pick<DeviceSocket, "hardware" | "hasCarrier"> {
  const known = links.get(index) ?? NO_ADDRESSES;
  const flags = askedOf(name, udp, SIOCGIFFLAGS).readUInt16LE(0);
  const hardware = new Uint8Array(askedOf(name, udp, SIOCGIFHWADDR).subarray(2, 8));
  return { ...known, hardware, hasCarrier: (flags & CARRIER) === CARRIER };
}

/**
 * Asked by a socket, which is of this network namespace; /sys may show another one's interfaces. Zeros for one that has
 * just gone: the next look finds it gone.
 */
function askedOf(name: string, fd: number, what: number): Buffer {
  const request = Buffer.alloc(IFREQ);
  request.write(name);
  libc().ioctl(fd, what, request);
  return request.subarray(IFNAMSIZ);
}

const bigEndian = (value: number) => ((value & 255) << 8) | (value >> 8);

/** A struct sockaddr_in. */
export function inetName(address: number, port: number): Buffer {
  const name = Buffer.alloc(16);
  writeInetName(name, 0, address, port);
  return name;
}

export function writeInetName(out: Buffer, at: number, address: number, port: number): void {
  out[at] = AF_INET;
  out[at + 1] = 0;
  out[at + 2] = port >> 8;
  out[at + 3] = port;
  writeU32(out, at + 4, address);
}

/** The size of a struct sockaddr_in6. */
export const INET6_NAME = 28;

/** Writes a struct sockaddr_in6; the scope says on which interface an address of a link is. */
export function writeInet6Name(out: Buffer, at: number, address: bigint, port: number, scope: number): void {
  out.writeUInt16LE(AF_INET6, at);
  out.writeUInt16BE(port, at + 2);
  out.writeUInt32LE(0, at + 4);
  writeIpv6(out, at + 8, address);
  out.writeUInt32LE(scope, at + 24);
}

/** A struct sockaddr_ll; without a hardware address it names the link itself. */
export function linkName(index: number, protocol: number, hardware: Uint8Array | undefined): Buffer {
  const name = Buffer.alloc(20);
  writeLinkName(name, 0, index, protocol, hardware);
  return name;
}

export function writeLinkName(
  out: Buffer,
  at: number,
  index: number,
  protocol: number,
  hardware: Uint8Array | undefined,
): void {
  out.fill(0, at, at + 20);
  out.writeUInt16LE(AF_PACKET, at);
  out.writeUInt16BE(protocol, at + 2);
  out.writeInt32LE(index, at + 4);
  out[at + 11] = hardware?.length ?? 0;
  if (hardware) out.set(hardware, at + 12);
}

export function ingressOf(
  device: DeviceSocket,
  from: { address: number; port: number },
  unicast: boolean,
): DeviceIngress {
  return {
    interfaceName: device.name,
    addresses: device.addresses,
    sourceAddress: from.address,
    sourcePort: from.port,
    unicast,
    lab: false,
    device,
  };
}

export function ingress6Of(
  device: DeviceSocket,
  from: { address: bigint; port: number },
  unicast: boolean,
): DeviceIngress6 {
  return {
    interfaceName: device.name,
    addresses: device.addresses6,
    sourceAddress: from.address,
    sourcePort: from.port,
    unicast,
    lab: false,
    device,
  };
}

export interface DeviceIngress6 extends Ingress6 {
  readonly device: DeviceSocket;
}

/** An ingress that knows the way back. */
export interface DeviceIngress extends Ingress {
  readonly device: DeviceSocket;
}

/**
 * Everything that only root may open. What speaks to links themselves is there once for all of them: the system takes
 * some 15 ms to close one, which hundreds of interfaces would wait for one after another.
 */
export interface Sockets {
  readonly devices: readonly DeviceSocket[];
  /** Frames to clients without an address. */
  readonly packet: number;
  readonly arp: number;
  readonly echo: number | undefined;
}

export function openSockets(interfaces: readonly string[], servesV6: boolean): Sockets {
  const devices: DeviceSocket[] = [];
  try {
    const links = linksNow();
    const isThere = (name: string) => libc().if_nametoindex(name) !== 0;
    // Of several, one that is missing is waited for: the others have their clients.
    const waits = interfaces.some(isThere);
    for (const name of interfaces) {
      const isMissing = waits && !isThere(name);
      const device = isMissing ? closedDevice(name, servesV6) : openDevice(name, servesV6, links);
      devices.push(device);
      const error = servesV6 && !isMissing && listen6(device, NO_MEMBERSHIPS);
      // A link that has no IPv6 is served without; another server on this machine is to be stopped.
      if (error && error.code === "EADDRINUSE") throw new StartProblem(explained(name, error));
    }
    // Without a protocol it receives nothing: it is there to send.
    const packet = openPacket(0);
    widenBuffer(packet, SO_SNDBUFFORCE, SO_SNDBUF, FRAME_BUFFER);
    const arp = openPacket(bigEndian(ETH_P_ARP));
    // Both kinds of answers are heard only while there are questions.
    hearArpOf(arp, []);
    widenBuffer(arp, SO_RCVBUFFORCE, SO_RCVBUF, RECEIVE_BUFFER);
    return { devices, packet, arp, echo: openEcho() };
  } catch (error) {
    devices.forEach(closeDevice);
    if (error instanceof SystemError) throw new StartProblem(explained(interfaces[0] as string, error));
    throw error;
  }
}
