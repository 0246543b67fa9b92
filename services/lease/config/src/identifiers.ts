import { formatHex, parseHex } from "@frontdesk/lease-options/address";

/** Keys under which a reservation is found: the kind of identifier and its octets. */
export const macKey = (bytes: Uint8Array) => `mac ${formatHex(bytes, "")}`;
/** The hardware address of a key; none where it is of another kind. */
export function macOfKey(key: string): Uint8Array[] {
  const [kind, hex = ""] = key.split(" ");
  return kind === "mac" ? [parseHex(hex) ?? new Uint8Array(0)] : [];
}
export const clientIdKey = (bytes: Uint8Array) => `client_id ${formatHex(bytes, "")}`;
export const duidKey = (bytes: Uint8Array) => `duid ${formatHex(bytes, "")}`;
export const circuitKey = (bytes: Uint8Array) => `circuit_id ${formatHex(bytes, "")}`;
export const interfaceIdKey = (bytes: Uint8Array) => `interface_id ${formatHex(bytes, "")}`;
export const remoteKey = (bytes: Uint8Array) => `remote_id ${formatHex(bytes, "")}`;
/** Whether an identifier is what a relay says of the client. */
export const isRelayKey = (key: string) => /^(circuit|remote)_id /.test(key);
