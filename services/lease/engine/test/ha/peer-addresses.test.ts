import assert from "node:assert/strict";
import { test } from "node:test";
import { formatIpv4, formatIpv6 } from "@frontdesk/lease-options/address";
import type { Core } from "../../src/ha/core-state.ts";
import { namesOf, serverOf } from "../../src/ha/server-names.ts";
import type { EngineNode } from "./engine-node.ts";
import { enginePair } from "./engine-pair.ts";
import { packets4 } from "./packets4.ts";
import { packets6 } from "./packets6.ts";

test("a server is known by its DUID and by its addresses of both families, except link-local ones", () => {
  const known = { v4: [0x0a000002], v6: [0xfd77n << 112n], duid: Uint8Array.of(0, 1, 2) };
  const names = namesOf({ ...known, v6: [...known.v6, (0xfe80n << 112n) | 1n] });
  assert.deepEqual(names, ["000102", "10.0.0.2", "fd77::"]);
  assert.deepEqual(serverOf(names), known);
});

for (const [family, packets] of [
  ["IPv4", packets4],
  ["IPv6", packets6],
] as const) {
  test(`${family}: an address of the peer inside a pool is given to nobody, whether the peer is there or gone`, async (t) => {
    const pair = await enginePair(t, { addresses: 6 }, packets);
    const { pass, join, world } = pair;
    const [primary, secondary] = [pair.primary as EngineNode, pair.secondary as EngineNode];
    const pool = (primary.core as Core).plan.pools[0] as { first: number | bigint; last: number | bigint };
    const all = Array.from({ length: 6 }, (_, i) =>
      typeof pool.first === "bigint" ? pool.first + BigInt(i) : pool.first + i,
    );
    const theirs = all[3] as number | bigint;
    secondary.crash();
    const name = typeof theirs === "bigint" ? formatIpv6(theirs) : formatIpv4(theirs);
    secondary.settings = { ...secondary.settings, servers: [...secondary.settings.servers, name] };
    secondary.start();
    pass(30);
    assert.ok(
      primary.warnings.some((line) => line.includes("an address of the other server of the pair")),
      primary.warnings.join(),
    );
    secondary.crash();
    // The one that is left knows it also after a start of its own.
    primary.crash();
    primary.start();
    pass(15);
    world.run({ do: "partner-down", node: "primary", isWrong: false, ago: 0, r: 1 });
    pass(60);
    const given = Array.from({ length: 8 }, (_, i) => join(primary, 20 + i)).filter((a) => a !== undefined);
    // One is reserved for another client.
    assert.equal(given.length, 4, String(given));
    assert.ok(!given.includes(Number(theirs)), String(given));
  });
}
