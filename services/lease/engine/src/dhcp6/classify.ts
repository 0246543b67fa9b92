import type { FieldName, Subject } from "@frontdesk/lease-config/class-expression";
import type { ClassRule } from "@frontdesk/lease-config/config";
import { textBytes } from "@frontdesk/lease-options/address";
import { CODE6 } from "@frontdesk/lease-options/option6-table";
import type { Message6 } from "./message.ts";
import { firstOption } from "./options.ts";
import type { RelayInfo } from "./relays.ts";

interface Seen6 {
  readonly request: Message6;
  readonly relay: RelayInfo;
  readonly duid: Uint8Array;
  readonly interfaceName: string;
}

/** RFC 9915 section 21.16: an enterprise number and the length of the first text stand before it. */
const VENDOR_HEADER = 6;
/** RFC 9915 section 21.15: the length of the first text stands before it. */
const USER_HEADER = 2;

export const vendorClassOf = ({ options }: Message6) => firstText(options, CODE6.vendorClass, VENDOR_HEADER);

function firstText(options: Message6["options"], code: number, header: number): Uint8Array | undefined {
  const value = firstOption(options, code);
  if (!value || value.length < header) return undefined;
  const length = ((value[header - 2] as number) << 8) | (value[header - 1] as number);
  return value.subarray(header, header + length);
}

const READ: Readonly<Record<FieldName, (seen: Seen6) => Uint8Array | undefined>> = {
  mac: ({ relay }) => relay.mac,
  duid: ({ duid }) => duid,
  vendor_class: ({ request }) => vendorClassOf(request),
  user_class: ({ request }) => firstText(request.options, CODE6.userClass, USER_HEADER),
  host_name: () => undefined,
  circuit_id: () => undefined,
  interface_id: ({ relay }) => relay.interfaceId,
  remote_id: ({ relay }) => relay.remoteId,
  giaddr: () => undefined,
  interface: ({ interfaceName }) => textBytes(interfaceName),
};

const NONE: readonly ClassRule[] = [];

/** Which classes the client is in, in the order of the configuration. */
export function classify6(rules: readonly ClassRule[], seen: Seen6): readonly ClassRule[] {
  if (rules.length === 0) return NONE;
  const subject: Subject = {
    option: () => undefined,
    option6: (code) => firstOption(seen.request.options, code),
    field: (name) => READ[name](seen),
  };
  return rules.filter((rule) => rule.matches(subject));
}
