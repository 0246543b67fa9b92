import { nullable } from "@frontdesk/lease-control-api/nullable";
import { type Static, Type } from "typebox";
import { NETWORK_TOOLS } from "../domain/host-network.ts";

const Text = nullable(Type.String());
const Tool = Type.Enum([...NETWORK_TOOLS]);

export const FactoryResetBody = Type.Object(
  { confirmation: Type.String({ maxLength: 100 }) },
  { additionalProperties: false },
);
export const FactoryResetDone = Type.Object({
  username: Type.String(),
  password: nullable(Type.String({ description: "Told this once" })),
});

export const NetworkChangeBody = Type.Object(
  {
    interface: Type.String({ maxLength: 15 }),
    address: Type.String({ maxLength: 18, description: "IPv4 with the length of its network" }),
    gateway: nullable(Type.String({ maxLength: 15 })),
    dns: Type.Array(Type.String({ maxLength: 15 }), { maxItems: 3 }),
  },
  { additionalProperties: false },
);
export const NetworkTrialBody = Type.Object(
  { ends_at: Type.String({ format: "date-time", description: "Of the trial that was seen" }) },
  {
    additionalProperties: false,
    description: "Refused with 409 `network_trial_other` where another one is tried out by now",
  },
);
export const NetworkQuery = Type.Object(
  {
    confirm_within: Type.Optional(
      Type.Integer({ minimum: 10, maximum: 3600, description: "Seconds until it is taken back; 60" }),
    ),
  },
  { additionalProperties: false },
);
export const NetworkView = Type.Object({
  interfaces: Type.Array(
    Type.Object({
      name: Type.String(),
      mac: Text,
      up: Type.Boolean(),
      addresses: Type.Array(Type.String()),
      gateway: Text,
      tool: Type.Union([Tool, Type.Null()]),
    }),
    { description: "As the kernel has them, without loopback" },
  ),
  dns: Type.Array(Type.String()),
  changeable: Type.Boolean({ description: "Whether lease may change it: where root started it" }),
  trial: Type.Union([
    Type.Object({
      change: NetworkChangeBody,
      ends_at: Type.String({ format: "date-time" }),
      seconds_left: Type.Integer({ description: "By the server's clock, when it answered" }),
      problem: nullable(Type.String({ description: "Why it could not be taken back yet" })),
    }),
    Type.Null(),
  ]),
});
export type NetworkView = Static<typeof NetworkView>;
export const NetworkPlanView = Type.Object({
  tool: Tool,
  files: Type.Array(Type.Object({ path: Type.String(), before: Text, after: Type.String() })),
  commands: Type.Array(Type.String()),
});
