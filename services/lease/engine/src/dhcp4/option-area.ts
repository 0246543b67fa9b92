import { CODE } from "@frontdesk/lease-options/option-table";
import type { Options } from "@frontdesk/lease-options/option-types";

const PAD = 0;
const END = 255;

export const FILE_AREA = 1;
export const SNAME_AREA = 2;

/** Reads one area into the map; answers false when an option runs past the end of the area. */
export function readArea(bytes: Uint8Array, start: number, end: number, into: Options): boolean {
  let at = start;
  while (at < end) {
    const code = bytes[at++] as number;
    if (code === PAD) continue;
    if (code === END) return true;
    if (at >= end) return false;
    const length = bytes[at++] as number;
    if (at + length > end) return false;
    const value = bytes.subarray(at, at + length);
    const earlier = into.get(code);
    into.set(code, earlier === undefined ? value : joined(earlier, value));
    at += length;
  }
  // RFC 2131 section 4.1: the last option must be END; clients that leave it out are understood.
  return true;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const whole = new Uint8Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}

const sizeOf = (value: Uint8Array) => value.length + 2 * Math.max(1, Math.ceil(value.length / 255));

function writeOption(out: Uint8Array, at: number, code: number, value: Uint8Array): number {
  let offset = 0;
  do {
    const length = Math.min(255, value.length - offset);
    out[at] = code;
    out[at + 1] = length;
    for (let i = 0; i < length; i++) out[at + 2 + i] = value[offset + i] as number;
    at += 2 + length;
    offset += length;
  } while (offset < value.length);
  return at;
}

/** A field of the header that options may go on in. */
export interface Area {
  readonly flag: number;
  readonly start: number;
  readonly end: number;
}

export interface WrittenOptions {
  /** Where the main area ends, after its END. */
  readonly end: number;
  /** Codes that fitted nowhere, in order. */
  readonly left: readonly number[];
}

const NOTHING_LEFT: readonly number[] = [];
/** Message type, server identifier and overload: what a reply is no reply without. */
const LEAST_BESIDE_RELAY = 3 + 6 + 3;

/**
 * Writes the options in their order. When the main area is full, whole options go on in `file` and
 * `sname` (RFC 2132 section 9.3), as far as `spare` allows; values over 255 octets are split
 * (RFC 3396 section 7). The relay agent's option is the last of the main area (RFC 3046 section 2.1);
 * one so long that nothing fits beside it is left out.
 */
export function writeOptions(
  out: Uint8Array,
  start: number,
  limit: number,
  options: Options,
  spare: readonly Area[],
): WrittenOptions {
  const told = options.get(CODE.relayAgent);
  const relay = told && start + LEAST_BESIDE_RELAY + sizeOf(told) + 1 <= limit ? told : undefined;
  const tail = 1 + (relay === undefined ? 0 : sizeOf(relay));
  let at = start;
  let overflow: Array<[number, Uint8Array]> | undefined;
  let needed = tail;
  // Not entry by entry: each would be an array, made and dropped for every option of every reply.
  options.forEach((value, code) => {
    if (code !== CODE.relayAgent) needed += sizeOf(value);
  });
  const room = start + needed <= limit ? limit : limit - 3;

  options.forEach((value, code) => {
    if (code === CODE.relayAgent) return;
    if (at + sizeOf(value) + tail <= room) at = writeOption(out, at, code, value);
    else {
      overflow ??= [];
      overflow.push([code, value]);
    }
  });
  const { used, left } = overflow ? writeSpare(out, overflow, spare) : { used: 0, left: NOTHING_LEFT };
  if (used !== 0) at = writeOption(out, at, CODE.overload, Uint8Array.of(used));
  if (relay !== undefined) at = writeOption(out, at, CODE.relayAgent, relay);
  out[at++] = END;
  return { end: at, left: told === relay ? left : [...left, CODE.relayAgent] };
}

function writeSpare(
  out: Uint8Array,
  overflow: ReadonlyArray<[number, Uint8Array]>,
  spare: readonly Area[],
): { used: number; left: number[] } {
  let rest = overflow;
  let used = 0;
  for (const area of spare) {
    const next: Array<[number, Uint8Array]> = [];
    let at = area.start;
    for (const [code, value] of rest) {
      if (at + sizeOf(value) + 1 > area.end) next.push([code, value]);
      else at = writeOption(out, at, code, value);
    }
    if (at > area.start) {
      out[at] = END;
      used |= area.flag;
    }
    rest = next;
  }
  return { used, left: rest.map(([code]) => code) };
}
