import assert from "node:assert/strict";
import { test } from "node:test";
import { haView } from "../../src/control/ha-view.ts";
import { refusalNow } from "../../src/ha/refusal.ts";
import { HELLO, NOW, secondary } from "./core-node.ts";
import { NORMAL } from "./status.ts";

const declare = (node: ReturnType<typeof secondary>, now: number, force = false) =>
  node.run({ kind: "command", now, command: { name: "partner-down", force } }).refusal;

test("why two nodes refuse each other is known to both until they are a pair again", () => {
  const node = secondary();
  node.connect();
  node.hear({ ...HELLO, lead: 600 });
  const { because, here, there } = node.core.refusal ?? {};
  assert.deepEqual([because, here, there], ["lead", "1800", "600"]);
  node.connect();
  node.hear({ type: "refuse", reason: "lead" });
  assert.equal(node.core.refusal?.there, "600", "what the peer said before is still known");
  node.connect();
  node.hear(HELLO);
  assert.equal(node.core.refusal, null);
});

test("a peer that refuses is alive: nothing is taken over from it unless that is forced", () => {
  const node = secondary();
  node.connect();
  node.hear({ ...HELLO, mode: "load-balancing" });
  assert.equal(
    declare(node, NOW + 1),
    "the peer is alive: the two nodes refuse each other: [ha] mode is hot-standby here and load-balancing at the peer",
  );
  assert.equal(declare(node, NOW + 1, true), undefined);
});

test("a peer that refused and has not dialled since may have stopped", () => {
  const node = secondary();
  node.connect();
  node.hear({ ...HELLO, skew: 20 });
  assert.equal(refusalNow(node.core, NOW + 10)?.because, "skew");
  assert.equal(refusalNow(node.core, NOW + 11), null);
  assert.equal(declare(node, NOW + 11), undefined);
});

test("the status says which setting differs instead of what the socket says", () => {
  const refusal = { because: "lead", here: "1800", there: "600", at: NOW } as const;
  const { link } = haView({ ...NORMAL, state: "interrupted", link: "down", refusal }, "the peer closed it");
  assert.deepEqual(link, {
    state: "down",
    problem: "the two nodes refuse each other: [ha] max_lead is 1800 here and 600 at the peer",
  });
});
