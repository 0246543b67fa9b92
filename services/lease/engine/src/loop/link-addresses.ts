import { readIpv6, readU32 } from "@frontdesk/lease-options/address";
import {
  AF_INET,
  AF_INET6,
  AF_NETLINK,
  libc,
  MSG_DONTWAIT,
  must,
  SOCK_CLOEXEC,
  SOCK_RAW,
  SystemError,
} from "./libc.ts";

/** What an interface has of its own; addresses of IPv6 without those of the link itself. */
export interface LinkAddresses {
  readonly addresses: readonly number[];
  readonly masks: readonly number[];
  readonly addresses6: readonly bigint[];
  /** It has an address of IPv6, be it one of the link itself: without any, nobody can be answered. */
  readonly hasIpv6: boolean;
}

/** The addresses of all interfaces by their numbers: asked for once for all of them, since the answer grows with each. */
export type Links = ReadonlyMap<number, LinkAddresses>;

interface OwnAddresses extends LinkAddresses {
  readonly addresses: number[];
  readonly masks: number[];
  readonly addresses6: bigint[];
  hasIpv6: boolean;
}

export const NO_ADDRESSES: LinkAddresses = { addresses: [], masks: [], addresses6: [], hasIpv6: false };

/** rtnetlink(7), netlink(7): struct nlmsghdr, struct ifaddrmsg, struct rtattr. */
const NETLINK_ROUTE = 0;
const RTM_GETADDR = 22;
const RTM_NEWADDR = 20;
const NLM_F_REQUEST_DUMP = 0x301;
const NLM_F_DUMP_INTR = 0x10;
const NLMSG_ERROR = 2;
const NLMSG_DONE = 3;
const HEADER = 16;
const ADDRESS_HEADER = 8;
const ATTRIBUTE_HEADER = 4;
const IFA_ADDRESS = 1;
const IFA_LOCAL = 2;
const SCOPE_LINK = 253;
/** More than the system gives in one piece. */
const ROOM = 64 * 1024;

/** Addresses that never cease to change are told as they are seen. */
const MAX_TRIES = 5;

const aligned = (length: number) => (length + 3) & ~3;
const maskOf = (length: number) => (length === 0 ? 0 : (0xffff_ffff << (32 - length)) >>> 0);

/**
 * Asked of the system itself: Node tells addresses by their labels, which may be anything, and those of an interface
 * without a carrier not at all.
 */
export function linksNow(): Links {
  for (let left = MAX_TRIES; ; left--) {
    const links = new Map<number, OwnAddresses>();
    if (readLinks(links) || left === 1) return links;
  }
}

/** Answers false where addresses came or went while they were told: some may be missing. */
function readLinks(links: Map<number, OwnAddresses>): boolean {
  const fd = must("opening a socket", libc().socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  try {
    const request = Buffer.alloc(HEADER + ADDRESS_HEADER);
    request.writeUInt32LE(request.length, 0);
    request.writeUInt16LE(RTM_GETADDR, 4);
    request.writeUInt16LE(NLM_F_REQUEST_DUMP, 6);
    must("asking for addresses", libc().sendto(fd, request, request.length, MSG_DONTWAIT, null, 0));
    const octets = Buffer.alloc(ROOM);
    let isWhole = true;
    for (;;) {
      const length = must("asking for addresses", libc().recv(fd, octets, ROOM, MSG_DONTWAIT));
      for (let at = 0; at + HEADER <= length; at += aligned(octets.readUInt32LE(at))) {
        const type = octets.readUInt16LE(at + 4);
        isWhole &&= (octets.readUInt16LE(at + 6) & NLM_F_DUMP_INTR) === 0;
        if (type === NLMSG_ERROR) throw new SystemError("asking for addresses", "an error");
        if (type === NLMSG_DONE) return isWhole;
        if (type === RTM_NEWADDR) keep(octets.subarray(at + HEADER, at + octets.readUInt32LE(at)), links);
      }
    }
  } finally {
    libc().close(fd);
  }
}

function keep(told: Buffer, links: Map<number, OwnAddresses>): void {
  const [family, prefix, scope, index] = [told[0], told[1] as number, told[3], told.readUInt32LE(4)];
  const attributes = new Map<number, Buffer>();
  for (let at = ADDRESS_HEADER; at + ATTRIBUTE_HEADER <= told.length; ) {
    const length = told.readUInt16LE(at);
    attributes.set(told.readUInt16LE(at + 2), told.subarray(at + ATTRIBUTE_HEADER, at + length));
    at += aligned(length);
  }
  // On a link between two, the other one's is the address.
  const own = attributes.get(IFA_LOCAL) ?? attributes.get(IFA_ADDRESS);
  if (!own) return;
  const link = links.get(index) ?? { addresses: [], masks: [], addresses6: [], hasIpv6: false };
  links.set(index, link);
  if (family === AF_INET) {
    link.addresses.push(readU32(own, 0));
    link.masks.push(maskOf(prefix));
  }
  link.hasIpv6 ||= family === AF_INET6;
  if (family === AF_INET6 && scope !== SCOPE_LINK) link.addresses6.push(readIpv6(own, 0));
}
