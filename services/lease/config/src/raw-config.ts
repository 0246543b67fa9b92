import {
  type Prefix6,
  parseHex,
  parseIpv4,
  parseIpv6,
  parseMac,
  parsePrefix6,
  textBytes,
} from "@frontdesk/lease-options/address";
import type { Range6 } from "./config6.ts";
import {
  anything,
  boolean,
  integer,
  listOf,
  oneOf,
  oneOrMore,
  parsed,
  placed,
  Report,
  string,
  table,
  tablesOf,
} from "./shape.ts";
import { parseToml } from "./toml-document.ts";

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

const address = parsed('an IPv4 address like "10.0.0.1"', parseIpv4);
const listen = parsed('an address and a port like "127.0.0.1:6767"', (text): ListenAddress | undefined => {
  const match = /^([\d.]+):(\d{1,5})$/.exec(text);
  if (!match || parseIpv4(match[1] as string) === undefined || Number(match[2]) > 65_535) return undefined;
  return { host: match[1] as string, port: Number(match[2]) };
});

const address6 = parsed('an IPv6 address like "fd77::1"', parseIpv6);
const anyAddress = parsed(
  'an address like "10.0.0.1" or "fd77::1"',
  (text) => parseIpv4(text) ?? parseIpv6(text),
);
const listen6 = parsed('an address and a port like "[::1]:6547"', (text): ListenAddress | undefined => {
  const match = /^\[([\da-f:.]+)\]:(\d{1,5})$/i.exec(text);
  if (!match || parseIpv6(match[1] as string) === undefined || Number(match[2]) > 65_535) return undefined;
  return { host: match[1] as string, port: Number(match[2]) };
});

export interface Range {
  readonly first: number;
  readonly last: number;
}

const range = parsed('one address or two, like "10.0.0.10 - 10.0.0.99"', (text): Range | undefined => {
  const ends = text.split("-").map((part) => parseIpv4(part.trim()));
  const [first, last = first] = ends;
  if (ends.length > 2 || first === undefined || last === undefined || last < first) return undefined;
  return { first, last };
});

const range6 = parsed('one address or two, like "fd77::10 - fd77::ffff"', (text): Range6 | undefined => {
  const ends = text.split("-").map((part) => parseIpv6(part.trim()));
  const [first, last = first] = ends;
  if (ends.length > 2 || first === undefined || last === undefined || last < first) return undefined;
  return { first, last };
});
const prefix6 = parsed('a prefix like "fd77:1::/48"', parsePrefix6);

export type Prefix = { readonly address: number; readonly length: number } | { readonly v6: Prefix6 };

const network = parsed('a network like "10.77.0.0/16"', (text): Prefix | undefined => {
  const [base = "", width = "", ...more] = text.split("/");
  if (!/^\d{1,3}$/.test(width) || more.length > 0) return undefined;
  if (parseIpv6(base) !== undefined) {
    const v6 = parsePrefix6(text);
    return v6 && v6.length > 0 ? { v6 } : undefined;
  }
  const start = parseIpv4(base);
  const length = Number(width);
  if (start === undefined || length > 32 || length < 1) return undefined;
  return (start & ~mask(length)) >>> 0 === 0 ? { address: start, length } : undefined;
});

export const mask = (length: number) => (length === 0 ? 0 : (0xffffffff << (32 - length)) >>> 0);

const hex = (form: string, min: number, max: number) =>
  parsed(form, (text) => {
    const bytes = parseHex(text);
    return bytes && bytes.length >= min && bytes.length <= max ? bytes : undefined;
  });
const mac = parsed('a hardware address like "02:00:00:00:00:50"', parseMac);
const clientId = hex('bytes in hex like "01:02:00:00:00:00:50"', 2, 255);
/** Circuit and remote ids are text on most relays; hex begins with 0x. */
const textOrHex = parsed('a text, or bytes in hex like "0x0004000a"', (text) =>
  text.startsWith("0x") ? parseHex(text) : textBytes(text),
);

/** RFC 2132 section 3.14: an option holds at most 255 octets. */
const hostName = parsed("a name of at most 255 octets without control characters", (text) =>
  text !== "" && textBytes(text).length <= 255 && !/\p{Cc}/u.test(text) ? text : undefined,
);
/** RFC 2131 section 2: the field holds 64 octets, the last one NUL. */
const serverName = parsed("a name of at most 63 octets", (text) =>
  text !== "" && textBytes(text).length <= 63 && !/\p{Cc}/u.test(text) ? text : undefined,
);

const seconds = integer(1, 0xffffffff);
const times = { default_time: seconds, min_time: seconds, max_time: seconds };
/** Of DHCPv4 and of DHCPv6; what does not fit the family of a subnet is refused there. */
const scope = {
  ...times,
  preferred_time: seconds,
  valid_time: seconds,
  options: placed(anything),
  next_server: address,
  server_name: serverName,
};
/** Levels that clients of both families share give each its own options. */
const bothScope = { ...scope, options6: placed(anything) };

const domain = parsed('a domain name like "office.example"', (text) => {
  const name = text.toLowerCase().replace(/\.$/, "");
  const isName = name.split(".").every((label) => /^[!-~]{1,63}$/.test(label));
  return isName && name.length <= 253 ? name : undefined;
});
/** An IPv4 or IPv6 address with a port. */
const endpoint = (text: string): ListenAddress | undefined => {
  const [, v4, v6, port] = /^(?:([\d.]+)|\[([\da-f:.]+)\]):(\d{1,5})$/i.exec(text) ?? [];
  const isAddress = v4 ? parseIpv4(v4) !== undefined : v6 !== undefined && parseIpv6(v6) !== undefined;
  if (!isAddress || Number(port) > 65_535) return undefined;
  return { host: v4 ?? v6, port: Number(port) } as ListenAddress;
};
const dnsServer = parsed('an address and a port like "127.0.0.1:53" or "[::1]:53"', endpoint);
const node = parsed('an address and a port like "10.0.0.2:31077" or "[fd77::2]:31077"', (text) => {
  const read = endpoint(text);
  return read && read.port > 0 ? read : undefined;
});
const base64 = parsed("a secret in base64", (text) =>
  /^[A-Za-z\d+/]+={0,2}$/.test(text) && text.length % 4 === 0
    ? Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
    : undefined,
);
/** Where a zone takes updates, and signed with what. */
const updates = {
  server: dnsServer,
  tsig_name: placed(domain),
  tsig_algorithm: oneOf("hmac-sha256", "hmac-sha512"),
  tsig_secret: placed(base64),
};

export const SECTIONS = {
  server: {
    interfaces: placed(listOf(string)),
    listen: placed(listOf(listen)),
    listen6: placed(listOf(listen6)),
    control_listen: listen,
    control_token: string,
    control_open: boolean,
    metrics_listen: listen,
    authoritative: boolean,
    identity: oneOf("client_id", "mac"),
    bootp: boolean,
    rapid_commit: boolean,
    run_as: placed(string),
    relays: listOf(address),
    relay_networks: listOf(placed(network)),
    subnet_selection_relays: listOf(address),
  },
  lease: {
    ...times,
    offer_time: integer(5, 3600),
    decline_quarantine: integer(1, 31_536_000),
    probe: boolean,
    probe_wait_ms: integer(50, 5000),
    event_retention_days: integer(1, 36_500),
    max_events: integer(1000, 1_000_000_000),
    per_port_limit: integer(0, 1_000_000),
  },
  logging: {
    level: oneOf("debug", "info", "warn", "error"),
    file_size_mb: integer(1, 1024),
    files: integer(1, 100),
    ring_lines: integer(100, 100_000),
  },
  ddns: {
    enabled: placed(boolean),
    forward_zone: placed(domain),
    reverse_zone: placed(domain),
    ...updates,
    ttl: integer(1, 0x7fffffff),
    name_policy: oneOf("client", "server", "off"),
    collision: oneOf("refuse", "suffix"),
    keep_for_reservations: boolean,
    max_updates_per_second: integer(1, 10_000),
  },
  ddns_zone: { name: placed(domain), network: placed(network), ...updates },
  dhcpv6: {
    enabled: placed(boolean),
    preference: integer(0, 255),
    rapid_commit: boolean,
    preferred_time: seconds,
    valid_time: seconds,
    options: placed(anything),
    relays: listOf(address6),
    address_registration: boolean,
    new_leases_per_hour: integer(0, 100_000_000),
  },
  ha: {
    enabled: placed(boolean),
    mode: oneOf("hot-standby", "load-balancing"),
    primary: placed(node),
    secondary: placed(node),
    max_lead: placed(integer(60, 86_400)),
    max_clock_skew: placed(integer(1, 60)),
    contact_timeout: integer(2, 60),
    partner_down_after: placed(integer(0, 0xffffffff)),
    share: integer(0, 100),
  },
  option: { code: placed(integer(1, 254)), name: placed(string), type: placed(string) },
  option6: { code: placed(integer(1, 65_535)), name: placed(string), type: placed(string) },
  class: { name: placed(string), match: placed(string), ...bothScope },
  shared_network: { name: placed(string), ...bothScope },
  pool: {
    range: placed(anything),
    exclude: listOf(placed(anything)),
    classes: listOf(placed(string)),
    ...scope,
  },
  reservation: {
    ip: placed(anyAddress),
    prefix: placed(prefix6),
    mac: oneOrMore(placed(mac)),
    client_id: oneOrMore(placed(clientId)),
    duid: oneOrMore(placed(clientId)),
    circuit_id: oneOrMore(placed(textOrHex)),
    interface_id: oneOrMore(placed(textOrHex)),
    remote_id: oneOrMore(placed(textOrHex)),
    hostname: hostName,
    enabled: boolean,
    note: string,
    ...scope,
  },
  prefix_pool: {
    prefix: placed(prefix6),
    delegated_length: placed(integer(1, 127)),
    exclude_length: placed(integer(2, 128)),
    exclude_number: placed(integer(0, 0xffffffff)),
    classes: listOf(placed(string)),
    ...scope,
  },
  subnet: {
    network: placed(network),
    shared_network: placed(string),
    relays: listOf(placed(anyAddress)),
    interface: placed(string),
    interface_ids: listOf(placed(textOrHex)),
    ddns_domain: placed(domain),
    ...scope,
  },
} as const;

const subnet = table({
  ...SECTIONS.subnet,
  pool: tablesOf(table(SECTIONS.pool)),
  reservation: tablesOf(table(SECTIONS.reservation)),
  prefix_pool: tablesOf(table(SECTIONS.prefix_pool)),
});

const document = table({
  server: table(SECTIONS.server),
  lease: table(SECTIONS.lease),
  logging: table(SECTIONS.logging),
  ddns: table({ ...SECTIONS.ddns, zone: tablesOf(table(SECTIONS.ddns_zone)) }),
  dhcpv6: table(SECTIONS.dhcpv6),
  ha: table(SECTIONS.ha),
  options: placed(anything),
  option: tablesOf(table(SECTIONS.option)),
  option6: tablesOf(table(SECTIONS.option6)),
  class: tablesOf(table(SECTIONS.class)),
  shared_network: tablesOf(table(SECTIONS.shared_network)),
  subnet: tablesOf(subnet),
});

export type RawConfig = NonNullable<ReturnType<typeof document>>;
export type RawSubnet = NonNullable<ReturnType<typeof subnet>>;

export const readRange = range;
export const readRange6 = range6;

/** The configuration as it is written: every value has its form, nothing is checked against the rest. */
export function readRawConfig(text: string): { raw: RawConfig; report: Report } {
  const report = new Report();
  const raw = document(parseToml(text), report, "the configuration");
  if (!raw) report.throwIfAny();
  return { raw: raw as RawConfig, report };
}
