import { type Static, Type } from "typebox";
import { nullable } from "./nullable.ts";

/** What a configuration would change for a client, the worst first. */
export const REPLAY_KINDS = ["refused", "moved", "served", "changed"] as const;
export type ReplayKind = (typeof REPLAY_KINDS)[number];

const Text = nullable(Type.String());

export const Replay = Type.Object(
  {
    clients: Type.Integer({
      description:
        "Clients that were heard of within the last 24 hours; of DHCPv6 each address and each prefix counts",
    }),
    unchanged: Type.Integer({ description: "They would get what they get now" }),
    refused: Type.Integer({ description: "They get an address now and would get none" }),
    moved: Type.Integer({ description: "They would get another address" }),
    served: Type.Integer({ description: "They get no address now and would get one" }),
    changed: Type.Integer({ description: "They would keep their address and get other options or times" }),
    items: Type.Array(
      Type.Object({
        kind: Type.Enum([...REPLAY_KINDS]),
        mac: nullable(Type.String({ description: "Of DHCPv6 only where a relay says it" })),
        client_id: Text,
        duid: nullable(Type.String({ description: "Of DHCPv6" })),
        hostname: Text,
        before: Text,
        after: Text,
        reason: nullable(Type.String({ description: "Why it would be refused, as a code" })),
        options: Type.Array(Type.String(), { description: "Options that would have another value" }),
      }),
      { description: "Who is not unchanged; at most 200 of each kind" },
    ),
  },
  { $id: "Replay" },
);
export type Replay = Static<typeof Replay>;
