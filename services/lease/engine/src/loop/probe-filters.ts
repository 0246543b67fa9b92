import {
  addressOf,
  libc,
  must,
  PACKET_OTHERHOST,
  SO_ATTACH_FILTER,
  SO_DETACH_FILTER,
  SOL_SOCKET,
  SystemError,
} from "./libc.ts";

/** Instructions of classic BPF (linux/bpf_common.h). */
const LOAD_WORD = 0x20;
const LOAD_HALF = 0x28;
/** Of an IP packet: the length of its header, and what is after that header. */
const LOAD_HEADER_LENGTH = 0xb1;
const LOAD_OCTET_AFTER = 0x50;
const LOAD_HALF_AFTER = 0x48;
const JUMP = 0x05;
const JUMP_IF_EQUAL = 0x15;
const RETURN = 0x06;
/** The size of a struct sock_filter, and of the struct sock_fprog that names the program. */
const INSTRUCTION = 8;
const PROGRAM = 16;
/** SKF_AD_OFF with SKF_AD_PKTTYPE and SKF_AD_IFINDEX (linux/filter.h): what the packet itself does not say. */
const PACKET_TYPE = 0xfffff004;
const INTERFACE_INDEX = 0xfffff008;
/** Where these are in a packet of ARP. */
const OPERATION = 6;
const SENDER_ADDRESS = 14;
const REQUEST = 1;
const REPLY = 2;
/** And in a message of ICMP. */
const TYPE = 0;
const IDENTIFIER = 4;
const ECHO_REPLY = 0;
const ALL_OCTETS = 0xffff;
/** A jump on a condition leaps over at most 255 instructions. */
const MAX_LEAP = 255;

/** How many instructions are leapt over if the condition holds, and if not. */
type Instruction = readonly [code: number, value: number, ifSo?: number, ifNot?: number];

/**
 * Lets a socket that is bound to no interface hear by ARP who speaks for an address on these links, and nothing else: the
 * frames of a link that nobody serves would fill its buffer, and answers be lost.
 */
export const hearArpOf = (fd: number, interfaceIndexes: readonly number[]) =>
  hear(fd, arpOf(interfaceIndexes.filter((index) => index > 0)));

/** Lets a socket hear what answers echo requests with these identifiers, and nothing else. */
export const hearEchoesOf = (fd: number, identifiers: readonly number[]) => hear(fd, echoesOf(identifiers));

function hear(fd: number, program: readonly Instruction[]): void {
  try {
    attach(fd, program);
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    // There is a limit to a filter (net.core.optmem_max), beyond a thousand links. Rather too much than too little:
    // whoever reads leaves out what is of no use.
    libc().setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, Buffer.alloc(4), 4);
  }
}

function arpOf(links: readonly number[]): Instruction[] {
  return [
    [LOAD_WORD, PACKET_TYPE],
    [JUMP_IF_EQUAL, PACKET_OTHERHOST, 0, 1],
    [RETURN, 0],
    [LOAD_HALF, OPERATION],
    [JUMP_IF_EQUAL, REPLY, 2],
    [JUMP_IF_EQUAL, REQUEST, 1],
    [RETURN, 0],
    // A probe (RFC 5227 section 2.1.1) speaks for nobody.
    [LOAD_WORD, SENDER_ADDRESS],
    [JUMP_IF_EQUAL, 0, 0, 1],
    [RETURN, 0],
    [LOAD_WORD, INTERFACE_INDEX],
    ...isOneOf(links),
    [RETURN, 0],
  ];
}

const echoesOf = (identifiers: readonly number[]): Instruction[] => [
  [LOAD_HEADER_LENGTH, 0],
  [LOAD_OCTET_AFTER, TYPE],
  [JUMP_IF_EQUAL, ECHO_REPLY, 1],
  [RETURN, 0],
  [LOAD_HALF_AFTER, IDENTIFIER],
  ...isOneOf(identifiers),
  [RETURN, 0],
];

/** Takes the packet if what is loaded is one of these. */
function isOneOf(values: readonly number[]): Instruction[] {
  const program: Instruction[] = [];
  for (let from = 0; from < values.length; from += MAX_LEAP) {
    const part = values.slice(from, from + MAX_LEAP);
    const tests = part.map((value, i): Instruction => [JUMP_IF_EQUAL, value, part.length - i]);
    program.push(...tests, [JUMP, 1], [RETURN, ALL_OCTETS]);
  }
  return program;
}

function attach(fd: number, program: readonly Instruction[]): void {
  // Not from Node's pool, which may be moved: the system is told where it is.
  const filter = Buffer.from(new ArrayBuffer(program.length * INSTRUCTION));
  program.forEach(([code, value, ifSo = 0, ifNot = 0], i) => {
    filter.writeUInt16LE(code, i * INSTRUCTION);
    filter[i * INSTRUCTION + 2] = ifSo;
    filter[i * INSTRUCTION + 3] = ifNot;
    filter.writeUInt32LE(value, i * INSTRUCTION + 4);
  });
  const named = Buffer.alloc(PROGRAM);
  named.writeUInt16LE(program.length, 0);
  named.writeBigUInt64LE(addressOf(filter), 8);
  must("attaching a filter", libc().setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, named, named.length));
}
