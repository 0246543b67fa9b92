import { type Static, Type } from "typebox";
import { HA_STATES } from "./ha-states.ts";
import { nullable } from "./nullable.ts";

/** What the engine's control API says and takes of the pair. */
export const HA_ROLES = ["primary", "secondary"] as const;
export const HA_MODES = ["hot-standby", "load-balancing"] as const;

const words = <const W extends string[]>(of: readonly [...W]) => Type.Enum([...of]);
const Time = Type.String({ format: "date-time" });

export const HaStatus = Type.Object(
  {
    state: words(HA_STATES),
    since: Time,
    reason: Type.String({ description: "Why it is in this state" }),
    role: words(HA_ROLES),
    mode: words(HA_MODES),
    epoch: Type.Integer({ description: "How often a node has taken over" }),
    link: Type.Object({
      state: words(["up", "down"]),
      problem: nullable(Type.String({ description: "Why there is no connection, as far as it is known" })),
    }),
    peer: Type.Object({
      state: Type.Union([words(HA_STATES), Type.Null()]),
      since: nullable(Time),
      serving: nullable(Type.Boolean({ description: "Whether it can write and reach its clients" })),
      last_contact: nullable(Time),
    }),
    unacked_updates: Type.Integer({ description: "Changes that the peer has not on disk yet" }),
    oldest_unacked_s: nullable(Type.Number()),
    pools: Type.Array(
      Type.Object({
        subnet: Type.String(),
        pool: Type.String(),
        own_free: Type.Integer(),
        peer_free: Type.Integer(),
        awaiting: Type.Integer({ description: "Ended here, and not yet acknowledged by the peer" }),
      }),
    ),
    clock_difference_ms: Type.Number({ description: "The peer's clock minus this one" }),
    plan: Type.Object({
      agreed: Type.Boolean(),
      frozen: Type.Boolean({ description: "Addresses whose use differs are given to nobody new" }),
    }),
    service_hash_equal: nullable(
      Type.Boolean({ description: "Whether clients are told the same options and times by both" }),
    ),
    takeover: nullable(Type.Object({ at: Time, usable_from: Time })),
    last_resync: nullable(
      Type.Object({
        at: Time,
        rows: Type.Integer({ description: "Sent and received" }),
        seconds: Type.Number(),
      }),
    ),
    handed_over: Type.Boolean({
      description: "Maintenance: the peer was handed everything, and this node can be stopped",
    }),
    conflicts: Type.Integer(),
    shortened: Type.Integer({ description: "Leases that were given for a shorter time than without a peer" }),
    updates: Type.Object({ sent: Type.Integer(), received: Type.Integer() }),
    alone_seconds: Type.Number(),
    advice: nullable(Type.String({ description: "What to do" })),
  },
  { $id: "HaStatus" },
);
export type HaStatus = Static<typeof HaStatus>;

export const HaInvitation = Type.Object({
  address: Type.String(),
  code: Type.String({ description: "For one node, for ten minutes" }),
  expires_at: Time,
});
export type HaInvitation = Static<typeof HaInvitation>;

export const HaJoin = Type.Object(
  { address: Type.String({ maxLength: 64 }), code: Type.String({ maxLength: 64 }) },
  { additionalProperties: false },
);

export const HaJoined = Type.Object({
  role: words(HA_ROLES),
  peer_fingerprint: Type.String({ description: "SHA-256 of the peer's certificate" }),
  enabled: Type.Boolean({ description: "Whether [ha] is switched on here: the pair begins at once" }),
});
export type HaJoined = Static<typeof HaJoined>;

export const HaPartnerDown = Type.Object(
  {
    stopped_at: Type.Optional(
      Type.String({ maxLength: 40, description: "When the peer had stopped; without it, now" }),
    ),
    force: Type.Optional(Type.Boolean({ description: "Also against signs of life" })),
  },
  { additionalProperties: false },
);
export type HaPartnerDown = Static<typeof HaPartnerDown>;

export const HaResume = Type.Object(
  {
    alone: Type.Optional(
      Type.Boolean({ description: "Serve without waiting for the peer, which has not taken over" }),
    ),
  },
  { additionalProperties: false },
);
export type HaResume = Static<typeof HaResume>;

/** The pair does not allow it; why is a sentence. */
export const HaRefusal = Type.Object({ error: Type.Literal("ha_refused"), reason: Type.String() });
export type HaRefusal = Static<typeof HaRefusal>;
