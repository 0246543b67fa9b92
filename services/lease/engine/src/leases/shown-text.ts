/** What one option of DHCPv4 can hold, and a name in DNS (RFC 1035 section 3.1); what is longer is not kept. */
const MAX_NAME = 255;

/** A name in DNS form as text; undefined when it does not read, or is not safe to show. */
export function dnsName(bytes: Uint8Array): string | undefined {
  if (bytes.length > MAX_NAME) return undefined;
  const labels: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes[at] as number;
    if (length === 0) break;
    if (length > 63 || at + 1 + length > bytes.length) return undefined;
    const label = printable(bytes.subarray(at + 1, at + 1 + length));
    if (label === undefined) return undefined;
    labels.push(label);
    at += 1 + length;
  }
  return labels.join(".");
}

/** Control characters of C0 and C1, line separators, marks that turn the direction of text, and what is no UTF-8. */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffd]/u;

/** Text that is safe to show; anything else is no name. */
export function printable(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  let end = Math.min(bytes.length, MAX_NAME);
  while (end > 0 && bytes[end - 1] === 0) end--;
  if (end === 0) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, end).toString("utf8");
  return UNPRINTABLE.test(text) ? undefined : text;
}
