import type { OctetWriter } from "./octet-writer.ts";

/** An option as it came: options may be repeated, and may hold others (RFC 9915 section 21.1). */
export interface Option6 {
  readonly code: number;
  readonly value: Uint8Array;
}

export const HEADER = 4;

/**
 * The options in a piece of a packet; undefined when one runs past its end. With `passesRest`, what stands after the last
 * whole one is passed over: dhcpcd 9.4.1 sends two octets too many when it asks for a prefix exclude, and, once it has a
 * key for RECONFIGURE, ends each RENEW and REBIND with whatever was in its memory.
 */
export function readOptions(
  bytes: Uint8Array,
  start: number,
  end: number,
  passesRest = false,
): Option6[] | undefined {
  const options: Option6[] = [];
  for (let at = start; at < end; ) {
    if (at + HEADER > end) return passesRest ? options : undefined;
    const code = ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
    const length = ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number);
    at += HEADER;
    if (at + length > end) return passesRest ? options : undefined;
    options.push({ code, value: bytes.subarray(at, at + length) });
    at += length;
  }
  return options;
}

/** The first option of a code. RFC 9915 section 21.1: where one may appear once only, the first counts. */
export function firstOption(options: readonly Option6[], code: number): Uint8Array | undefined {
  for (const option of options) if (option.code === code) return option.value;
  return undefined;
}

/** Writes an option; false when it does not fit. */
export function writeOption(out: OctetWriter, { code, value }: Option6): boolean {
  if (!out.has(HEADER + value.length)) return false;
  out.u16(code);
  out.u16(value.length);
  out.raw(value);
  return true;
}

/** The codes in a list of them, as in the option request option. */
export function readCodes(value: Uint8Array | undefined): number[] {
  const codes: number[] = [];
  for (let at = 0; value && at + 1 < value.length; at += 2) {
    codes.push(((value[at] as number) << 8) | (value[at + 1] as number));
  }
  return codes;
}
