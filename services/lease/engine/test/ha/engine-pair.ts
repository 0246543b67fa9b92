import type { TestContext } from "node:test";
import { type EngineNode, Engines } from "./engine-node.ts";
import type { Packets } from "./packets.ts";
import { packets4 } from "./packets4.ts";
import { loadRules } from "./rules.ts";
import type { Setting } from "./steps.ts";
import { World } from "./world.ts";
import type { WorldNode } from "./world-node.ts";

const SETTING: Setting = {
  clocks: "near",
  offsets: { primary: 0, secondary: 0 },
  mode: "hot-standby",
  partnerDownAfter: 0,
  contactTimeout: 5,
  addresses: 8,
  clients: 0,
};

/** Two whole engines, joined in memory, and a client by hand. */
export async function enginePair(
  t: TestContext,
  setting: Partial<Setting> = {},
  packets: Packets = packets4,
) {
  const engines = new Engines(packets);
  t.after(() => engines.close());
  const rules = await loadRules();
  const world = new World(rules, { ...SETTING, ...setting }, { engines });
  const pass = (seconds: number) => world.run({ do: "pass", seconds, r: 1 });
  let xid = 0;
  const ask = (node: WorldNode, what: object) =>
    node.handle({
      client: 9,
      xid: ++xid,
      sentAt: world.now,
      wanted: 60,
      tries: 1,
      isUnicast: false,
      ...what,
    } as Parameters<WorldNode["handle"]>[0]);
  /** A whole exchange with one node; the address, or undefined. */
  const join = (node: WorldNode, client: number): number | undefined => {
    const offer = ask(node, { kind: "discover", client });
    if (offer?.kind !== "offer") return undefined;
    const { address } = offer;
    return ask(node, { kind: "select", client, address, server: node.role })?.kind === "ack"
      ? address
      : undefined;
  };
  const historyOf = (node: WorldNode, address: number) => (node as EngineNode).history(address);
  return { world, ...world.nodes, pass, ask, join, historyOf };
}
