import koffi from "koffi";

/** Linux values, the same on x64 and arm64. */
export const AF_INET = 2;
export const AF_INET6 = 10;
export const AF_NETLINK = 16;
export const AF_PACKET = 17;
export const SOCK_DGRAM = 2;
export const SOCK_RAW = 3;
export const SOCK_CLOEXEC = 0o2000000;
export const SOCK_NONBLOCK = 0o4000;
export const SOL_SOCKET = 1;
export const SO_BROADCAST = 6;
export const SO_ERROR = 4;
export const SO_SNDBUF = 7;
export const SO_RCVBUF = 8;
export const SO_BINDTODEVICE = 25;
export const SO_ATTACH_FILTER = 26;
export const SO_DETACH_FILTER = 27;
export const SO_SNDBUFFORCE = 32;
export const SO_RCVBUFFORCE = 33;
export const IPPROTO_IP = 0;
export const IP_PKTINFO = 8;
export const IPPROTO_IPV6 = 41;
export const IPV6_JOIN_GROUP = 20;
export const IPV6_LEAVE_GROUP = 21;
export const IPV6_V6ONLY = 26;
export const IPV6_RECVPKTINFO = 49;
export const IPV6_PKTINFO = 50;
export const SIOCGIFFLAGS = 0x8913;
export const SIOCGIFHWADDR = 0x8927;
export const MSG_DONTWAIT = 0x40;
export const POLLIN = 1;
/** POLLERR, POLLHUP and POLLNVAL: reported whether asked for or not. */
export const POLL_TROUBLE = 0x38;
export const PACKET_OTHERHOST = 3;
export const ETH_P_IP = 0x0800;
export const ETH_P_ARP = 0x0806;
export const IPPROTO_ICMP = 1;
/** Counts the time that the machine sleeps. */
const CLOCK_BOOTTIME = 7;
const EFD_FLAGS = SOCK_CLOEXEC | SOCK_NONBLOCK;
const PR_SET_KEEPCAPS = 8;
const PR_SET_NO_NEW_PRIVS = 38;
const CAPABILITIES = { NET_BIND_SERVICE: 10, NET_ADMIN: 12, NET_RAW: 13 } as const;
const CAPABILITY_VERSION_3 = 0x20080522;

type Call = (...args: unknown[]) => number;

interface Libc {
  socket: Call;
  setsockopt: Call;
  bind: Call;
  recvmmsg: Call;
  sendmmsg: Call;
  recv: Call;
  recvfrom: Call;
  sendto: Call;
  poll: Call;
  close: Call;
  eventfd: Call;
  read: Call;
  write: Call;
  ioctl: Call;
  if_nametoindex: Call;
  if_indextoname: (index: number, name: Buffer) => unknown;
  clock_gettime: Call;
  prctl: Call;
  capset: Call;
}

let loaded: Libc | undefined;

/** The C library's socket calls; loaded when first needed, since the lab mode needs none of them. */
export function libc(): Libc {
  if (loaded) return loaded;
  const library = koffi.load("libc.so.6");
  loaded = {
    socket: library.func("int socket(int domain, int type, int protocol)"),
    setsockopt: library.func("int setsockopt(int fd, int level, int name, void *value, uint32_t size)"),
    bind: library.func("int bind(int fd, void *address, uint32_t size)"),
    recvmmsg: library.func("int recvmmsg(int fd, void *messages, uint32_t count, int flags, void *timeout)"),
    sendmmsg: library.func("int sendmmsg(int fd, void *messages, uint32_t count, int flags)"),
    recv: library.func("long recv(int fd, void *buffer, size_t size, int flags)"),
    recvfrom: library.func(
      "long recvfrom(int fd, void *buffer, size_t size, int flags, void *address, void *addressSize)",
    ),
    sendto: library.func(
      "long sendto(int fd, void *buffer, size_t size, int flags, void *address, uint32_t addressSize)",
    ),
    poll: library.func("int poll(void *descriptors, unsigned long count, int timeout)"),
    close: library.func("int close(int fd)"),
    eventfd: library.func("int eventfd(uint32_t initial, int flags)"),
    read: library.func("long read(int fd, void *buffer, size_t size)"),
    write: library.func("long write(int fd, void *buffer, size_t size)"),
    ioctl: library.func("int ioctl(int fd, unsigned long request, void *argument)"),
    if_nametoindex: library.func("uint32_t if_nametoindex(const char *name)"),
    if_indextoname: library.func("void *if_indextoname(uint32_t index, void *name)"),
    clock_gettime: library.func("int clock_gettime(int clock, void *time)"),
    prctl: library.func(
      "int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)",
    ),
    capset: library.func("int capset(void *header, void *data)"),
  };
  return loaded;
}

const ERRNO_NAMES = new Map(Object.entries(koffi.os.errno).map(([name, value]) => [value, name]));
// It has two names; this is the one that is searched for.
ERRNO_NAMES.set(koffi.os.errno.EAGAIN as number, "EAGAIN");

/** The name of the last error, like "EACCES". */
export function lastError(): string {
  return ERRNO_NAMES.get(koffi.errno()) ?? `error ${koffi.errno()}`;
}

export class SystemError extends Error {
  readonly code: string;

  constructor(call: string, code: string) {
    super(`${call} failed with ${code}`);
    this.code = code;
  }
}

/** Throws when a call answered -1. */
export function must(call: string, result: number): number {
  if (result < 0) throw new SystemError(call, lastError());
  return result;
}

export function setOption(fd: number, name: number, value: number, level = SOL_SOCKET): void {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  must("setsockopt", libc().setsockopt(fd, level, name, bytes, 4));
}

export function bindToDevice(fd: number, device: string): void {
  const name = Buffer.from(`${device}\0`);
  must("binding to the device", libc().setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name, name.length));
}

/** Begins or ends to receive what is sent to a group of IPv6 on an interface. */
export function membership(
  fd: number,
  option: typeof IPV6_JOIN_GROUP | typeof IPV6_LEAVE_GROUP,
  group: Uint8Array,
  interfaceIndex: number,
): void {
  const request = Buffer.alloc(20);
  request.set(group);
  request.writeUInt32LE(interfaceIndex, 16);
  const call = option === IPV6_JOIN_GROUP ? "joining a group" : "leaving a group";
  must(call, libc().setsockopt(fd, IPPROTO_IPV6, option, request, request.length));
}

export const addressOf = (bytes: Uint8Array): bigint => koffi.address(bytes);

const bootTime = new BigInt64Array(2);

/** Whole milliseconds since the machine was started. */
export function sinceBoot(): number {
  must("clock_gettime", libc().clock_gettime(CLOCK_BOOTTIME, bootTime));
  return Number(bootTime[0]) * 1000 + Math.floor(Number(bootTime[1]) / 1e6);
}

/** A descriptor that one thread writes to and another one waits for. */
export const newWakeUp = () => must("eventfd", libc().eventfd(0, EFD_FLAGS));

export function wakeUp(fd: number): void {
  const one = Buffer.alloc(8);
  one.writeBigUInt64LE(1n);
  libc().write(fd, one, 8);
}

/** No program this process might start can have more rights than it has. */
export const renounceNewPrivileges = () => must("prctl", libc().prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));

/** What this thread may do outlives its becoming another user. */
export const keepCapabilities = () => must("prctl", libc().prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0));

/** Leaves this thread, and the threads it starts, these capabilities and no others. */
export function setCapabilities(names: ReadonlyArray<keyof typeof CAPABILITIES>): void {
  const bits = names.reduce((sum, name) => sum | (1 << CAPABILITIES[name]), 0);
  const header = Buffer.alloc(8);
  header.writeUInt32LE(CAPABILITY_VERSION_3);
  const data = Buffer.alloc(24);
  data.writeUInt32LE(bits, 0);
  data.writeUInt32LE(bits, 4);
  must("capset", libc().capset(header, data));
}
