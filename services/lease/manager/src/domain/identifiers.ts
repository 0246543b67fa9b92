import type { TomlValue } from "@frontdesk/lease-config/toml-text";
import { formatHex, parseHex, textBytes } from "@frontdesk/lease-options/address";

/** Written as hex, in any of its ways. */
export const HEX_IDENTIFIERS = ["mac", "client_id", "duid"] as const;
/** What a reservation knows its device by. */
export const IDENTIFIERS = [...HEX_IDENTIFIERS, "circuit_id", "interface_id", "remote_id"] as const;
export type IdentifierKind = (typeof IDENTIFIERS)[number];

/** The identifiers of one kind, each in the one way that it is compared: by its octets, as the engine does. */
export const identifiersOf = (kind: IdentifierKind, value: TomlValue | null | undefined): string[] =>
  [value ?? []].flat().map((each) => {
    const octets = octetsOf(kind, String(each));
    // What the engine will refuse is like nothing but itself.
    return octets ? formatHex(octets) : `not ${String(each)}`;
  });

/** What a relay says is a text on most of them; hex begins with 0x. */
const octetsOf = (kind: IdentifierKind, text: string) =>
  HEX_IDENTIFIERS.some((each) => each === kind) || text.startsWith("0x") ? parseHex(text) : textBytes(text);
