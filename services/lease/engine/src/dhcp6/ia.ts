import { readIpv6, readU32, textBytes } from "@frontdesk/lease-options/address";
import { CODE6 } from "@frontdesk/lease-options/option6-table";
import { OctetWriter } from "./octet-writer.ts";
import { HEADER, type Option6, readOptions } from "./options.ts";
import type { Refusal6 } from "./outcomes.ts";

export type IaType = typeof CODE6.iaNa | typeof CODE6.iaPd;
export const ADDRESS_BITS = 128;

/** An address (its length is 128) or a prefix inside an IA. Times are seconds. */
export interface IaLease {
  readonly address: bigint;
  readonly length: number;
  readonly preferred: number;
  readonly valid: number;
  /** A part of the prefix that the requesting router keeps for its own uplink (RFC 6603). */
  readonly exclude?: { readonly address: bigint; readonly length: number } | undefined;
}

export interface Status6 {
  readonly code: number;
  readonly text: string;
  /** Why nothing is given; it is not sent. */
  readonly reason?: Refusal6;
}

/** An identity association: IA_NA (RFC 9915 section 21.4) or IA_PD (section 21.21). */
export interface Ia {
  readonly type: IaType;
  readonly iaid: number;
  readonly t1: number;
  readonly t2: number;
  readonly leases: readonly IaLease[];
  readonly status?: Status6 | undefined;
}

const IA_HEADER = 12;
const ADDRESS_HEADER = 24;
const PREFIX_HEADER = 25;
/** A prefix without more, which is longer than an address. */
export const MAX_LEASE = HEADER + PREFIX_HEADER;
/** An IA with a prefix that has a part to keep out, the longest that is given. */
export const MAX_IA = HEADER + IA_HEADER + HEADER + PREFIX_HEADER + HEADER + 17;

/** Every IA of a message; one that is cut short, or whose options are, is undefined and makes the message wrong. */
export function readIas(options: readonly Option6[]): Ia[] | undefined {
  const ias: Ia[] = [];
  for (const { code, value } of options) {
    if (code !== CODE6.iaNa && code !== CODE6.iaPd) continue;
    const ia = readIa(code, value);
    if (!ia) return undefined;
    ias.push(ia);
  }
  return ias;
}

export function readIa(type: IaType, value: Uint8Array): Ia | undefined {
  if (value.length < IA_HEADER) return undefined;
  const options = readOptions(value, IA_HEADER, value.length);
  if (!options) return undefined;
  const leases: IaLease[] = [];
  let status: Status6 | undefined;
  for (const option of options) {
    if (option.code === CODE6.statusCode) status = readStatus(option.value);
    else if (option.code === (type === CODE6.iaNa ? CODE6.iaAddress : CODE6.iaPrefix)) {
      const lease = type === CODE6.iaNa ? readIaAddress(option.value) : readPrefix(option.value);
      if (!lease) return undefined;
      leases.push(lease);
    }
  }
  return { type, iaid: readU32(value, 0), t1: readU32(value, 4), t2: readU32(value, 8), leases, status };
}

export function readIaAddress(value: Uint8Array): IaLease | undefined {
  if (value.length < ADDRESS_HEADER) return undefined;
  return {
    address: readIpv6(value, 0),
    length: ADDRESS_BITS,
    preferred: readU32(value, 16),
    valid: readU32(value, 20),
  };
}

function readPrefix(value: Uint8Array): IaLease | undefined {
  const length = value[8] as number;
  if (value.length < PREFIX_HEADER || length > ADDRESS_BITS) return undefined;
  const lease = {
    address: readIpv6(value, 9),
    length,
    preferred: readU32(value, 0),
    valid: readU32(value, 4),
  };
  const inner = readOptions(value, PREFIX_HEADER, value.length);
  const excluded = inner?.find(({ code }) => code === CODE6.prefixExclude);
  const exclude = excluded && readExclude(lease, excluded.value);
  return exclude ? { ...lease, exclude } : lease;
}

/** RFC 6603 section 4.2: the length of the excluded prefix, then its bits after the delegated one. */
function readExclude({ address, length }: IaLease, value: Uint8Array): IaLease["exclude"] {
  const own = value[0] ?? 0;
  const octets = Math.floor((own - length - 1) / 8) + 1;
  if (own <= length || own > ADDRESS_BITS || value.length < 1 + octets) return undefined;
  let bits = 0n;
  for (let i = 0; i < octets; i++) bits = (bits << 8n) | BigInt(value[1 + i] as number);
  const shift = ADDRESS_BITS - length - 8 * octets;
  return { address: address | (shift >= 0 ? bits << BigInt(shift) : bits >> BigInt(-shift)), length: own };
}

function excludeOption(lease: IaLease): Uint8Array {
  const { address, length } = lease.exclude as NonNullable<IaLease["exclude"]>;
  const octets = Math.floor((length - lease.length - 1) / 8) + 1;
  const after = address & ((1n << BigInt(ADDRESS_BITS - lease.length)) - 1n);
  const shift = ADDRESS_BITS - lease.length - 8 * octets;
  const bits = shift >= 0 ? after >> BigInt(shift) : after << BigInt(-shift);
  const value = new Uint8Array(1 + octets);
  value[0] = length;
  for (let i = 0; i < octets; i++) value[1 + i] = Number((bits >> BigInt(8 * (octets - 1 - i))) & 255n);
  return value;
}

export function readStatus(value: Uint8Array): Status6 | undefined {
  if (value.length < 2) return undefined;
  const code = ((value[0] as number) << 8) | (value[1] as number);
  return { code, text: Buffer.from(value.subarray(2)).toString("utf8") };
}

export function statusOption({ code, text }: Status6): Option6 {
  const message = textBytes(text);
  const value = new Uint8Array(2 + message.length);
  value[0] = code >> 8;
  value[1] = code;
  value.set(message, 2);
  return { code: CODE6.statusCode, value };
}

/** An IA as an option. */
export function iaOption(ia: Ia): Option6 {
  const status = ia.status && statusOption(ia.status);
  const leases = ia.leases.map((lease) =>
    ia.type === CODE6.iaNa ? addressValue(lease) : prefixValue(lease),
  );
  const size = leases.reduce((sum, each) => sum + HEADER + each.length, IA_HEADER);
  const out = new OctetWriter(new Uint8Array(size + (status ? HEADER + status.value.length : 0)));
  out.u32(ia.iaid);
  out.u32(ia.t1);
  out.u32(ia.t2);
  for (const value of leases) {
    out.u16(ia.type === CODE6.iaNa ? CODE6.iaAddress : CODE6.iaPrefix);
    out.u16(value.length);
    out.raw(value);
  }
  if (status) {
    out.u16(status.code);
    out.u16(status.value.length);
    out.raw(status.value);
  }
  return { code: ia.type, value: out.bytes };
}

function addressValue({ address, preferred, valid }: IaLease): Uint8Array {
  const out = new OctetWriter(new Uint8Array(ADDRESS_HEADER));
  out.address(address);
  out.u32(preferred);
  out.u32(valid);
  return out.bytes;
}

function prefixValue(lease: IaLease): Uint8Array {
  const exclude = lease.exclude && excludeOption(lease);
  const out = new OctetWriter(new Uint8Array(PREFIX_HEADER + (exclude ? HEADER + exclude.length : 0)));
  out.u32(lease.preferred);
  out.u32(lease.valid);
  out.u8(lease.length);
  out.address(lease.address);
  if (exclude) {
    out.u16(CODE6.prefixExclude);
    out.u16(exclude.length);
    out.raw(exclude);
  }
  return out.bytes;
}
