import { formatHex, formatIpv4, parseHex, parseIpv4, readU32, textBytes, u32Bytes } from "./address.ts";

/**
 * How the value of an option reads: a pure pair. The value is what a person writes in the
 * configuration and what the API shows: text, numbers, lists.
 */
export interface OptionType<T = unknown> {
  readonly name: string;
  /** Completes the sentence "must be …". */
  readonly form: string;
  readonly read: (bytes: Uint8Array) => T;
  /** Encodes a value of any origin; throws Unfit when it is not of this form. */
  readonly write: (value: unknown) => Uint8Array;
}

/** Option values by code. A value that came in pieces is one piece here (RFC 3396 section 5). */
export type Options = Map<number, Uint8Array>;

/** The value does not have the form that the type asks for. */
export class Unfit extends Error {}

const utf8 = new TextDecoder();

function fail(form: string): never {
  throw new Unfit(form);
}

function exactly(bytes: Uint8Array, length: number, form: string): Uint8Array {
  return bytes.length === length ? bytes : fail(form);
}

function unsigned(name: string, size: 1 | 2 | 4): OptionType<number> {
  const max = 2 ** (size * 8) - 1;
  const form = `a whole number from 0 to ${max}`;
  return {
    name,
    form,
    read: (bytes) => exactly(bytes, size, form).reduce((sum, octet) => sum * 256 + octet, 0),
    write: (value) => {
      if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > max) fail(form);
      return u32Bytes(value as number).subarray(4 - size);
    },
  };
}

export const u8 = unsigned("u8", 1);
export const u16 = unsigned("u16", 2);
export const u32 = unsigned("u32", 4);

export const i32: OptionType<number> = {
  name: "i32",
  form: "a whole number from -2147483648 to 2147483647",
  read: (bytes) => readU32(exactly(bytes, 4, i32.form), 0) | 0,
  write: (value) => {
    if (!Number.isInteger(value) || ((value as number) | 0) !== value) fail(i32.form);
    return u32Bytes((value as number) >>> 0);
  },
};

export const bool: OptionType<boolean> = {
  name: "bool",
  form: "true or false",
  read: (bytes) => exactly(bytes, 1, bool.form)[0] !== 0,
  write: (value) => (typeof value === "boolean" ? Uint8Array.of(value ? 1 : 0) : fail(bool.form)),
};

/** The option's presence is all it says (RFC 4039 section 3). */
export const flag: OptionType<true> = {
  name: "flag",
  form: "true",
  read: (bytes) => {
    exactly(bytes, 0, flag.form);
    return true;
  },
  write: (value) => (value === true ? new Uint8Array(0) : fail(flag.form)),
};

export const text: OptionType<string> = {
  name: "text",
  form: "a text that is not empty",
  // RFC 2132 section 2: senders may end a string with NUL, receivers must not rely on it.
  read: (bytes) => utf8.decode(bytes).replace(/\0+$/, ""),
  write: (value) => {
    if (typeof value !== "string" || value === "" || value.includes("\0")) fail(text.form);
    return textBytes(value as string);
  },
};

export const bytes: OptionType<string> = {
  name: "bytes",
  form: 'bytes in hex like "01:02:ff" or "0x0102ff"',
  read: (raw) => formatHex(raw),
  write: (value) => (typeof value === "string" ? parseHex(value) : undefined) ?? fail(bytes.form),
};

export const ipv4: OptionType<string> = {
  name: "ipv4",
  form: 'an IPv4 address like "10.0.0.1"',
  read: (raw) => formatIpv4(readU32(exactly(raw, 4, ipv4.form), 0)),
  write: (value) => {
    const address = typeof value === "string" ? parseIpv4(value) : undefined;
    return address === undefined ? fail(ipv4.form) : u32Bytes(address);
  },
};

/** Values of one fixed size, one after the other. */
function list<T>(item: OptionType<T>, size: number): OptionType<T[]> {
  const form = `a list of at least one, each ${item.form}`;
  return {
    name: `${item.name} list`,
    form,
    read: (raw) => {
      if (raw.length === 0 || raw.length % size !== 0) fail(form);
      return Array.from({ length: raw.length / size }, (_, i) =>
        item.read(raw.subarray(i * size, (i + 1) * size)),
      );
    },
    write: (value) => {
      if (!Array.isArray(value) || value.length === 0) fail(form);
      return concat((value as unknown[]).map((each) => item.write(each)));
    },
  };
}

export const ipv4s = list(ipv4, 4);
export const u8s = list(u8, 1);
export const u16s = list(u16, 2);

/** Two addresses, as in the static routes of RFC 2132 section 5.8: `"10.1.0.0 10.0.0.1"`. */
const ipv4Pair: OptionType<string> = {
  name: "ipv4 pair",
  form: 'two IPv4 addresses like "10.1.0.0 10.0.0.1"',
  read: (raw) => `${ipv4.read(raw.subarray(0, 4))} ${ipv4.read(raw.subarray(4))}`,
  write: (value) => {
    const parts = typeof value === "string" ? value.trim().split(/\s+/) : [];
    if (parts.length !== 2) fail(ipv4Pair.form);
    try {
      return concat(parts.map((part) => ipv4.write(part)));
    } catch {
      return fail(ipv4Pair.form);
    }
  },
};
export const ipv4Pairs = list(ipv4Pair, 8);

/** Classless static routes (RFC 3442): only the significant octets of each destination are sent. */
export const routes: OptionType<string[]> = {
  name: "routes",
  form: 'a list of routes like "10.1.0.0/16 via 10.0.0.1"',
  read: (raw) => {
    const found: string[] = [];
    for (let at = 0; at < raw.length; ) {
      const width = raw[at] as number;
      const octets = Math.ceil(width / 8);
      if (width > 32 || at + 1 + octets + 4 > raw.length) fail(routes.form);
      const destination = new Uint8Array(4);
      destination.set(raw.subarray(at + 1, at + 1 + octets));
      at += 1 + octets;
      found.push(`${ipv4.read(destination)}/${width} via ${ipv4.read(raw.subarray(at, at + 4))}`);
      at += 4;
    }
    return found.length > 0 ? found : fail(routes.form);
  },
  write: (value) => {
    if (!Array.isArray(value) || value.length === 0) fail(routes.form);
    return concat((value as unknown[]).map(writeRoute));
  },
};

function writeRoute(value: unknown): Uint8Array {
  const match = typeof value === "string" ? /^(\S+)\/(\d{1,2})\s+via\s+(\S+)$/.exec(value.trim()) : null;
  const destination = match ? parseIpv4(match[1] as string) : undefined;
  const router = match ? parseIpv4(match[3] as string) : undefined;
  const width = Number(match?.[2]);
  if (destination === undefined || router === undefined || width > 32) fail(routes.form);
  const mask = width === 0 ? 0 : (0xffffffff << (32 - width)) >>> 0;
  if (((destination as number) & ~mask) !== 0) fail(`${routes.form}, with no bits set after the prefix`);
  return concat([
    Uint8Array.of(width),
    u32Bytes(destination as number).subarray(0, Math.ceil(width / 8)),
    u32Bytes(router as number),
  ]);
}

/** A list of domain names in DNS form with compression (RFC 3397, RFC 1035 section 4.1.4). */
export const domains: OptionType<string[]> = {
  name: "domains",
  form: 'a list of domain names like "example.org"',
  read: (raw) => {
    const found: string[] = [];
    for (let at = 0; at < raw.length; ) {
      const { name, next } = readName(raw, at);
      found.push(name);
      at = next;
    }
    return found.length > 0 ? found : fail(domains.form);
  },
  write: (value) => {
    if (!Array.isArray(value) || value.length === 0) fail(domains.form);
    const known = new Map<string, number>();
    const out: number[] = [];
    for (const name of value as unknown[]) writeName(out, name, known);
    return Uint8Array.from(out);
  },
};

/** One domain name in DNS form, uncompressed (RFC 1035 section 3.1). */
export const domain: OptionType<string> = {
  name: "domain",
  form: 'a domain name like "example.org"',
  read: (raw) => {
    const { name, next } = readName(raw, 0);
    return next === raw.length ? name : fail(domain.form);
  },
  write: (value) => {
    const out: number[] = [];
    try {
      writeName(out, value, new Map());
    } catch {
      fail(domain.form);
    }
    return Uint8Array.from(out);
  },
};

function readName(raw: Uint8Array, start: number): { name: string; next: number } {
  const labels: string[] = [];
  let next = -1;
  let at = start;
  for (let hops = 0; hops < 128; hops++) {
    const length = raw[at];
    if (length === undefined) break;
    if (length === 0) return { name: labels.join("."), next: next < 0 ? at + 1 : next };
    if (length >= 192) {
      const target = ((length & 63) << 8) | (raw[at + 1] ?? 0);
      if (at + 1 >= raw.length || target >= at) break;
      if (next < 0) next = at + 2;
      at = target;
    } else {
      if (length > 63 || at + 1 + length > raw.length) break;
      labels.push(utf8.decode(raw.subarray(at + 1, at + 1 + length)));
      at += 1 + length;
    }
  }
  return fail(domains.form);
}

function writeName(out: number[], value: unknown, known: Map<string, number>): void {
  const labels = typeof value === "string" ? value.replace(/\.$/, "").split(".") : [];
  const fits = labels.length > 0 && labels.every((label) => label !== "" && textBytes(label).length <= 63);
  if (!fits || (value as string).length > 253) fail(domains.form);
  for (let i = 0; i < labels.length; i++) {
    const rest = labels.slice(i).join(".");
    const place = known.get(rest);
    if (place !== undefined) {
      out.push(192 | (place >> 8), place & 255);
      return;
    }
    if (out.length < 0x3fff) known.set(rest, out.length);
    const label = textBytes(labels[i] as string);
    out.push(label.length, ...label);
  }
  out.push(0);
}

/** SIP servers (RFC 3361): one octet says whether names or addresses follow. */
export const sipServers: OptionType<string[]> = {
  name: "sip servers",
  form: "a list of IPv4 addresses, or a list of domain names",
  read: (raw) => {
    if (raw[0] === 1) return ipv4s.read(raw.subarray(1));
    return raw[0] === 0 ? domains.read(raw.subarray(1)) : fail(sipServers.form);
  },
  write: (value) => {
    const addresses = Array.isArray(value) && value.every((each) => parseIpv4(String(each)) !== undefined);
    return concat([Uint8Array.of(addresses ? 1 : 0), (addresses ? ipv4s : domains).write(value)]);
  },
};

/** Sub-options by code, as in option 43 (RFC 2132 section 8.4): `{ 6 = "0x07", 10 = "menu" }`. */
export const subOptions: OptionType<string | Record<string, string>> = {
  name: "sub-options",
  form: 'bytes in hex, or a table of sub-options like { 6 = "0x07", 10 = "text" }',
  read: (raw) => formatHex(raw),
  write: (value) => {
    if (typeof value === "string") return bytes.write(value);
    if (typeof value !== "object" || value === null || Array.isArray(value)) fail(subOptions.form);
    return concat(
      Object.entries(value as object).map(([key, each]) => {
        const code = Number(key);
        const payload =
          typeof each !== "string" ? undefined : each.startsWith("0x") ? parseHex(each) : textBytes(each);
        if (!/^\d+$/.test(key) || code < 1 || code > 254 || !payload || payload.length > 255) {
          fail(subOptions.form);
        }
        return concat([Uint8Array.of(code, (payload as Uint8Array).length), payload as Uint8Array]);
      }),
    );
  },
};

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The types a custom option may name in the configuration. */
export const CUSTOM_TYPES: Readonly<Record<string, OptionType>> = {
  u8,
  u16,
  u32,
  i32,
  bool,
  text,
  bytes,
  ipv4,
  ipv4_list: ipv4s,
  u8_list: u8s,
  u16_list: u16s,
  routes,
  domains,
};
