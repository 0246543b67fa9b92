import { type Static, Type } from "typebox";

/** Why a lease of another server is not taken over. */
export const IMPORT_REFUSALS = {
  no_pool: "no pool has the address",
  reserved: "the address, or the client, has a reservation that says otherwise",
  own_address: "it is an address of the engine or of its peer",
  taken: "another client has the address",
  has_another: "the client has another address on that network",
  peer: "of the pair, the other server may give that address: import it there",
  unacknowledged:
    "of the pair, the other server does not have it: import it again when the pair is in normal",
  expired: "it has ended",
  dhcpv6_off: "DHCPv6 is switched off",
} as const;
export type ImportRefusal = keyof typeof IMPORT_REFUSALS;

export const MAX_IMPORTED = 1000;
const Octets = (maxLength: number) =>
  Type.String({ maxLength, pattern: "^[0-9a-fA-F]{2}(:?[0-9a-fA-F]{2})*$" });

export const ImportedLease = Type.Object(
  {
    ip: Type.String({ maxLength: 49, description: "An address, or a delegated prefix with its length" }),
    mac: Type.Optional(Octets(47)),
    client_id: Type.Optional(Octets(764)),
    duid: Type.Optional(Octets(389)),
    iaid: Type.Optional(Type.Integer({ minimum: 0, maximum: 0xffffffff, description: "With `duid`" })),
    hostname: Type.Optional(Type.String({ maxLength: 255 })),
    expires_at: Type.Union([Type.String({ maxLength: 40 }), Type.Null()], { description: "null: never" }),
  },
  { additionalProperties: false },
);
export type ImportedLease = Static<typeof ImportedLease>;

export const LeaseImport = Type.Object(
  { leases: Type.Array(ImportedLease, { maxItems: MAX_IMPORTED }) },
  { additionalProperties: false },
);

export const LeasesImported = Type.Object({
  imported: Type.Integer(),
  refused: Type.Array(
    Type.Object({
      ip: Type.String(),
      reason: Type.Enum(Object.keys(IMPORT_REFUSALS) as ImportRefusal[]),
    }),
  ),
});
export type LeasesImported = Static<typeof LeasesImported>;
