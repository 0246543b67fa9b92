import { nullable } from "@frontdesk/lease-control-api/nullable";
import { LeaseQuery } from "@frontdesk/lease-control-api/schemas";
import { type Static, Type } from "typebox";
import { CLIENT_STATES, ROLLOUT_STATES } from "../domain/rollout-states.ts";

const Time = Type.String({ format: "date-time" });
const TimeOrNull = nullable(Time);
const Text = nullable(Type.String());
const filter = {
  q: LeaseQuery.properties.q,
  subnet: LeaseQuery.properties.subnet,
  class: LeaseQuery.properties.class,
};

export const StartRollout = Type.Object(
  {
    ...filter,
    wave: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, description: "Clients that are told at once; 50" }),
    ),
    pause_seconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 3600, description: "Until the next are told; 10" }),
    ),
  },
  { additionalProperties: false, description: "Active leases that the filter shows; without one, all" },
);

const RolloutBody = Type.Object({
  started_at: Time,
  started_by: Type.String(),
  filter: Type.Object(filter),
  wave: Type.Integer(),
  pause_seconds: Type.Integer(),
  state: Type.Enum([...ROLLOUT_STATES]),
  counts: Type.Object({
    queued: Type.Integer({ description: "Not told yet" }),
    told: Type.Integer({ description: "FORCERENEW was sent" }),
    waiting: Type.Integer({ description: "Cannot be told: renews by itself at T1" }),
    converged: Type.Integer({ description: "Has renewed since" }),
    unreachable: Type.Integer({ description: "Cannot be told, and its lease does not end" }),
    gone: Type.Integer({ description: "Its lease has ended" }),
  }),
  until: Type.Union([Time, Type.Null()], {
    description: "When all who are told or wait should have renewed by themselves",
  }),
  items: Type.Array(
    Type.Object({
      ip: Type.String(),
      mac: Text,
      hostname: Text,
      state: Type.Enum([...CLIENT_STATES]),
      renews_at: TimeOrNull,
    }),
    { description: "Those that have not converged; at most 200" },
  ),
});
export type RolloutBody = Static<typeof RolloutBody>;

export const RolloutView = Type.Object({ rollout: nullable(RolloutBody) });
