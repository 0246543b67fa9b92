import { type Static, Type } from "typebox";
import { nullable } from "./nullable.ts";

/** A prefix that is delegated, as a router needs it: where it is routed to, and until when. */
export const DelegatedPrefix = Type.Object(
  {
    prefix: Type.String(),
    next_hop: nullable(Type.String({ description: "The requesting router's own address on its link" })),
    interface: nullable(Type.String({ description: "Where the engine heard it, without a relay" })),
    link: nullable(Type.String({ description: "The link that a relay names" })),
    duid: Type.String(),
    iaid: Type.Integer(),
    expires_at: nullable(Type.String({ format: "date-time", description: "null: never" })),
  },
  { $id: "DelegatedPrefix" },
);
export type DelegatedPrefix = Static<typeof DelegatedPrefix>;

export const PrefixQuery = Type.Object({
  cursor: Type.Optional(Type.String({ maxLength: 45 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
});

export const PrefixPage = Type.Object({
  items: Type.Array(DelegatedPrefix),
  next_cursor: nullable(Type.String()),
  last_event: Type.Integer({ description: "Whoever follows the events after this one misses no change" }),
});
export type PrefixPage = Static<typeof PrefixPage>;
