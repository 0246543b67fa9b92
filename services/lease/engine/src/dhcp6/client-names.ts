import { dnsName } from "../leases/shown-text.ts";

/** RFC 4704 section 4: one octet of flags, then a name in DNS form, which need not be complete. */
export function fqdnOf(value: Uint8Array | undefined): string | undefined {
  return value && value.length > 1 ? dnsName(value.subarray(1)) || undefined : undefined;
}

/** RFC 4704 section 4.1: this server makes no DNS updates, and says so. */
export function fqdnAnswer(asked: Uint8Array): Uint8Array {
  const [S, O, N] = [0x01, 0x02, 0x04];
  const answer = asked.slice();
  answer[0] = N | ((asked[0] as number) & S ? O : 0);
  return answer;
}
