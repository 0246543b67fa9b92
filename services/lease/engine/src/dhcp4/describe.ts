import { formatHex, formatIpv4 } from "@frontdesk/lease-options/address";
import { OPTIONS, TYPE_NAMES } from "@frontdesk/lease-options/option-table";
import type { Message } from "./message.ts";

/** A message for people and for logs: known options by name, unknown ones by number in hex. */
export function describeMessage(message: Message): Record<string, unknown> {
  return {
    type: TYPE_NAMES.get(message.type) ?? "BOOTP",
    op: message.op,
    htype: message.htype,
    hops: message.hops,
    xid: `0x${message.xid.toString(16).padStart(8, "0")}`,
    secs: message.secs,
    flags: message.flags,
    ciaddr: formatIpv4(message.ciaddr),
    yiaddr: formatIpv4(message.yiaddr),
    siaddr: formatIpv4(message.siaddr),
    giaddr: formatIpv4(message.giaddr),
    chaddr: formatHex(message.chaddr),
    sname: Buffer.from(message.sname).toString("utf8"),
    file: Buffer.from(message.file).toString("utf8"),
    options: Object.fromEntries([...message.options].map(([code, value]) => describeOption(code, value))),
  };
}

/** An option's name and value; one whose bytes do not fit its type is shown raw. */
export function describeOption(code: number, value: Uint8Array): [name: string, value: unknown] {
  const known = OPTIONS[code];
  if (!known) return [String(code), formatHex(value)];
  try {
    return [known.name, known.type.read(value)];
  } catch {
    return [known.name, formatHex(value)];
  }
}
