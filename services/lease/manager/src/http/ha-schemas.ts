import { HaStatus } from "@frontdesk/lease-control-api/ha";
import { type Static, Type } from "typebox";

export const HaView = Type.Object({
  pair: Type.Union([HaStatus, Type.Null()], { description: "null: the engine answers alone" }),
});
export type HaView = Static<typeof HaView>;
