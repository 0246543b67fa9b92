import { isIP } from "node:net";

/** RFC 5280, 4.2.1.10: the hosts that certificates of an authority may be for. */
export const NAME_CONSTRAINTS = "2.5.29.30";

const OBJECT_IDENTIFIER = Buffer.from([0x06, 0x03, 0x55, 0x1d, 0x1e]);
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;
const SEQUENCE = 0x30;
const PERMITTED_SUBTREES = 0xa0;

/** The extension's value: these hosts and no others. */
export function nameConstraints(hosts: readonly string[]): ArrayBuffer {
  const permitted = Buffer.concat(hosts.map(subtree));
  return new Uint8Array(der(SEQUENCE, der(PERMITTED_SUBTREES, permitted))).buffer;
}

/** Whether an authority's certificate is constrained, and its constraints name every one of the hosts. */
export function permitsAll(certificate: Buffer, hosts: readonly string[]): boolean {
  const at = certificate.indexOf(OBJECT_IDENTIFIER);
  return at >= 0 && hosts.every((host) => certificate.includes(subtree(host), at));
}

const subtree = (host: string) =>
  der(SEQUENCE, isIP(host) ? der(IP_ADDRESS, addressAndMask(host)) : der(DNS_NAME, Buffer.from(host)));

function der(tag: number, content: Uint8Array): Buffer {
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

/** The bytes of one address and a mask that leaves no other. */
function addressAndMask(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from([...address.split(".").map(Number), 255, 255, 255, 255]);
  const [head = "", tail] = address.toLowerCase().split("::");
  const words = (text: string) => (text ? text.split(":").map((word) => Number.parseInt(word, 16)) : []);
  const [before, after] = [words(head), words(tail ?? "")];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const all = [...before, ...Array.from({ length: zeros }, () => 0), ...after];
  return Buffer.concat([
    Buffer.from(all.flatMap((word) => [word >> 8, word & 0xff])),
    Buffer.alloc(16, 0xff),
  ]);
}
