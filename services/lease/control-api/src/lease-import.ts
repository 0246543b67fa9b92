import { type Static, Type } from "typebox";

/** Why a lease of another server is not taken over. */
export const IMPORT_REFUSALS = {
  no_pool: "no pool has the address",
  reserved: "the address, or the client, has a reservation that says otherwise",
  own_address: "it is the engine's own address",
  taken: "another client has the address",
  has_another: "the client has another address on that network",
  expired: "it has ended",
} as const;
export type ImportRefusal = keyof typeof IMPORT_REFUSALS;

export const MAX_IMPORTED = 1000;
const Octets = (maxLength: number) =>
  Type.String({ maxLength, pattern: "^[0-9a-fA-F]{2}(:?[0-9a-fA-F]{2})*$" });

export const ImportedLease = Type.Object(
  {
    ip: Type.String({ maxLength: 15 }),
    mac: Octets(47),
    client_id: Type.Optional(Octets(764)),
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
