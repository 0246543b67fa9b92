import { type Static, Type } from "typebox";
import { MAX_RECONCILED } from "./limits.ts";
import { nullable } from "./nullable.ts";

const Address = Type.String({ maxLength: 45 });
const Name = Type.String({ maxLength: 253 });
const Missing = Type.Object(
  { address: Address, record: Type.Enum(["forward", "reverse"]), name: Name },
  { additionalProperties: false },
);
const StaleName = Type.Object(
  { address: Address, name: Name, dhcid: Type.String({ maxLength: 200, description: "In base64" }) },
  { additionalProperties: false },
);

export const DifferenceQuery = Type.Object({ cursor: Type.Optional(Type.String({ maxLength: 60 })) });

export const NameDifferences = Type.Object(
  {
    missing: Type.Array(Missing, { description: "Shall be in DNS and is not" }),
    stale: Type.Array(StaleName, {
      description: "Names that a DHCP server gave to addresses of the pools that nobody has",
    }),
    next_cursor: nullable(Type.String({ description: "For what follows; null at the end" })),
  },
  { $id: "NameDifferences" },
);
export type NameDifferences = Static<typeof NameDifferences>;

export const Reconcile = Type.Object(
  {
    missing: Type.Array(Missing, { maxItems: MAX_RECONCILED }),
    stale: Type.Array(StaleName, { maxItems: MAX_RECONCILED }),
  },
  { additionalProperties: false },
);
export type Reconcile = Static<typeof Reconcile>;

export const Reconciled = Type.Object({
  restored: Type.Integer({ description: "On their way to DNS again" }),
  removed: Type.Integer(),
  done: Type.Integer({
    description: "Of `stale`, how many were looked at: the rest is to be sent again",
  }),
  left: Type.Array(Type.Object({ address: Type.String(), reason: Type.String() })),
});
export type Reconciled = Static<typeof Reconciled>;
