import { formatIpv6, ipv6Bytes, parseIpv6, readIpv6, textBytes } from "./address.ts";
import {
  bool,
  bytes,
  concat,
  i32,
  type OptionType,
  text,
  Unfit,
  u8,
  u8s,
  u16,
  u16s,
  u32,
} from "./option-types.ts";

function fail(form: string): never {
  throw new Unfit(form);
}

export const ipv6: OptionType<string> = {
  name: "ipv6",
  form: 'an IPv6 address like "fd77::1"',
  read: (raw) => (raw.length === 16 ? formatIpv6(readIpv6(raw, 0)) : fail(ipv6.form)),
  write: (value) => {
    const address = typeof value === "string" ? parseIpv6(value) : undefined;
    return address === undefined ? fail(ipv6.form) : ipv6Bytes(address);
  },
};

export const ipv6s: OptionType<string[]> = {
  name: "ipv6 list",
  form: `a list of at least one, each ${ipv6.form}`,
  read: (raw) => {
    if (raw.length === 0 || raw.length % 16 !== 0) fail(ipv6s.form);
    return Array.from({ length: raw.length / 16 }, (_, i) => formatIpv6(readIpv6(raw, i * 16)));
  },
  write: (value) => {
    if (!Array.isArray(value) || value.length === 0) fail(ipv6s.form);
    try {
      return concat((value as unknown[]).map((each) => ipv6.write(each)));
    } catch {
      return fail(ipv6s.form);
    }
  },
};

const utf8 = new TextDecoder();

/** RFC 9915 section 10: names are never compressed. */
function readNames(raw: Uint8Array, form: string): string[] {
  const names: string[] = [];
  let labels: string[] = [];
  for (let at = 0; at < raw.length; ) {
    const length = raw[at] as number;
    if (length > 63 || at + 1 + length > raw.length) fail(form);
    if (length === 0) {
      names.push(labels.join("."));
      labels = [];
    } else labels.push(utf8.decode(raw.subarray(at + 1, at + 1 + length)));
    at += 1 + length;
  }
  return labels.length === 0 && names.length > 0 ? names : fail(form);
}

function writeName(value: unknown, form: string): Uint8Array {
  const labels = typeof value === "string" ? value.replace(/\.$/, "").split(".") : [];
  const octets = labels.map(textBytes);
  const isName = octets.length > 0 && octets.every(({ length }) => length > 0 && length <= 63);
  if (!isName || (value as string).length > 253) fail(form);
  return concat([...octets.flatMap((each) => [Uint8Array.of(each.length), each]), Uint8Array.of(0)]);
}

export const names6: OptionType<string[]> = {
  name: "domains",
  form: 'a list of domain names like "example.org"',
  read: (raw) => readNames(raw, names6.form),
  write: (value) => {
    if (!Array.isArray(value) || value.length === 0) fail(names6.form);
    return concat((value as unknown[]).map((each) => writeName(each, names6.form)));
  },
};

export const name6: OptionType<string> = {
  name: "domain",
  form: 'a domain name like "example.org"',
  read: (raw) => {
    const [name, ...more] = readNames(raw, name6.form);
    return name !== undefined && more.length === 0 ? name : fail(name6.form);
  },
  write: (value) => writeName(value, name6.form),
};

const NTP_ADDRESS = 1;

/** RFC 5908: each server is a sub-option of its own. */
export const ntpServers: OptionType<string[] | string> = {
  name: "ntp servers",
  form: ipv6s.form,
  read: (raw) => {
    const found: string[] = [];
    for (let at = 0; at < raw.length; at += 20) {
      const isAddress = at + 20 <= raw.length && raw[at + 1] === NTP_ADDRESS && raw[at + 3] === 16;
      if (!isAddress) return bytes.read(raw);
      found.push(formatIpv6(readIpv6(raw, at + 4)));
    }
    return found.length > 0 ? found : fail(ntpServers.form);
  },
  write: (value) => {
    if (!Array.isArray(value) || value.length === 0) fail(ntpServers.form);
    try {
      const servers = (value as unknown[]).map((each) => ipv6.write(each));
      return concat(servers.flatMap((each) => [Uint8Array.of(0, NTP_ADDRESS, 0, 16), each]));
    } catch {
      return fail(ntpServers.form);
    }
  },
};

/** A u16 code and a text, as in the status code (RFC 9915 section 21.13). */
export const status: OptionType<{ code: number; text: string }> = {
  name: "status",
  form: "a status code and a text",
  read: (raw) => {
    if (raw.length < 2) fail(status.form);
    return { code: ((raw[0] as number) << 8) | (raw[1] as number), text: utf8.decode(raw.subarray(2)) };
  },
  write: (value) => {
    const { code, text: message } = value as { code: number; text: string };
    return concat([u16.write(code), textBytes(message)]);
  },
};

/** RFC 9915 section 21.24 and RFC 7083 section 4: how long clients wait at most between two tries. */
export const maxRetransmission: OptionType<number> = {
  name: "seconds",
  form: "a whole number from 60 to 86400",
  read: (raw) => u32.read(raw),
  write: (value) => {
    if (!Number.isInteger(value) || (value as number) < 60 || (value as number) > 86_400) {
      fail(maxRetransmission.form);
    }
    return u32.write(value);
  },
};

/** The types a custom option of DHCPv6 may name in the configuration. */
export const CUSTOM_TYPES6: Readonly<Record<string, OptionType>> = {
  u8,
  u16,
  u32,
  i32,
  bool,
  text,
  bytes,
  ipv6,
  ipv6_list: ipv6s,
  u8_list: u8s,
  u16_list: u16s,
  domain: name6,
  domains: names6,
};
