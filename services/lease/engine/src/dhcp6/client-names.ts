import { dnsName } from "../leases/shown-text.ts";

/** RFC 4704 section 4: one octet of flags, then a name in DNS form, which need not be complete. */
export function fqdnOf(value: Uint8Array | undefined): string | undefined {
  return value && value.length > 1 ? dnsName(value.subarray(1)) || undefined : undefined;
}

/** RFC 4704 section 4.1: whether this server makes the DNS updates, and whether the client wanted it otherwise. */
export function fqdnAnswer(asked: Uint8Array, updates: boolean): Uint8Array {
  const [S, O, N] = [0x01, 0x02, 0x04];
  const answer = asked.slice();
  answer[0] = (updates ? S : N) | (Boolean((asked[0] as number) & S) === updates ? 0 : O);
  return answer;
}
