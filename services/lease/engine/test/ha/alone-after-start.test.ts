import assert from "node:assert/strict";
import { test } from "node:test";
import { STARTUP_SECONDS } from "../../src/ha/rights.ts";
import { enginePair } from "./engine-pair.ts";
import { packets4 } from "./packets4.ts";
import { packets6 } from "./packets6.ts";
import { LEAD } from "./steps.ts";

for (const [family, packets] of [
  ["IPv4", packets4],
  ["IPv6", packets6],
] as const) {
  test(`${family}: a node that is started without its peer renews what the peer knows, and gives new clients nothing`, async (t) => {
    const { world, primary, secondary, pass, join, ask } = await enginePair(t, {}, packets);
    pass(30);
    const address = join(primary, 9) as number;
    pass(5);
    assert.equal(ask(primary, { kind: "renew", client: 9, address })?.kind, "ack");
    pass(5);
    primary.crash();
    secondary.crash();
    world.now += LEAD;
    secondary.start();
    pass(STARTUP_SECONDS + 1);
    assert.equal(ask(secondary, { kind: "renew", client: 9, address })?.kind, "ack");
    assert.equal(join(secondary, 10), undefined);
  });
}
