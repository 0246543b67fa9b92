import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { readConfig } from "@frontdesk/lease-config/validate";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { until } from "@frontdesk/testkit/until";
import { join } from "../../src/ha/pairing.ts";
import { PairingFiles } from "../../src/ha/pairing-files.ts";
import { parseCode } from "../../src/ha/pairing-proof.ts";
import type { Standing } from "../../src/loop/pair-standing.ts";
import { Peer } from "../../src/peer.ts";
import { addresses, newKey } from "./link-desk.ts";

/** The primary of a pair that is switched on, as the main thread has it; the threads of its link are counted. */
async function primary(
  t: TestContext,
  isPaired: boolean,
  leaving = () => {},
  standing: () => Standing = () => "over",
) {
  const nodes = await addresses();
  const [here, there] = [nodes.primary, nodes.secondary].map(({ host, port }) => `"${host}:${port}"`);
  const config = readConfig(
    `[server]\ninterfaces = ["eth0"]\n[ha]\nenabled = true\nprimary = ${here}\nsecondary = ${there}\n`,
  );
  const files = new PairingFiles(temporaryHome(t));
  await files.nodeKey(0);
  if (isPaired) files.keep({ role: "primary", peerFingerprint: `${"00:".repeat(31)}00` });
  let running = 0;
  const started: string[] = [];
  const begun: string[] = [];
  const left: Array<string | undefined> = [];
  const peer = new Peer(config, {
    files,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    now: () => 0,
    schedule: () => () => {},
    startThread: ({ credentials }) => {
      assert.equal(++running, 1, "one link at a time");
      started.push(credentials.peerFingerprint);
      return {
        problem: undefined,
        stop: async () => {
          running--;
        },
      };
    },
    begin: async ({ role }) => void begun.push(role),
    leave: async (pair) => {
      leaving();
      if (standing() === "over") left.push(pair?.role);
      return standing();
    },
    standing: async () => standing(),
  });
  t.after(() => peer.stop());
  assert.ok(config.ha);
  peer.startLink(config.ha, -1);
  const invite = async () => {
    const invited = await peer.invite(nodes);
    assert.ok(!("refused" in invited), JSON.stringify(invited));
    return parseCode(invited.code) as Uint8Array;
  };
  const accept = async (code: Uint8Array) => join({ own: await newKey(), nodes, code });
  return { peer, files, nodes, started, begun, left, invite, accept, running: () => running };
}

test("a second invitation replaces the first, and after it there is one link, to the node that joined", async (t) => {
  const { started, invite, accept, running } = await primary(t, true);
  await invite();
  const code = await invite();
  assert.equal(running(), 0, "the link rests while a node is invited");
  await accept(code);
  await until("the link is there", () => running() === 1);
  assert.equal(started.length, 2);
  assert.notEqual(started[1], started[0]);
});

test("what is known of an earlier pair is looked at when the other node has joined, and not before", async (t) => {
  const { left, invite, accept, running } = await primary(t, true);
  const code = await invite();
  assert.deepEqual(left, [], "it goes on serving meanwhile");
  await accept(code);
  await until("the link is there", () => running() === 1);
  assert.deepEqual(left, ["primary"]);
});

test("what is known of an earlier pair is forgotten before the other node is kept, or the two are not paired", async (t) => {
  let isFull = true;
  const { files, started, invite, accept, running } = await primary(t, true, () => {
    if (isFull) throw new Error("database or disk is full");
  });
  const before = files.pairing();
  const code = await invite();
  await assert.rejects(accept(code));
  assert.deepEqual(files.pairing(), before, "after a restart it is what it was");
  isFull = false;
  await accept(code);
  await until("the link is there", () => running() === 1);
  assert.equal(started.at(-1), files.pairing()?.peerFingerprint);
});

test("a node that cannot tell whether its peer served clients without it is not paired before somebody says so", async (t) => {
  let standing: Standing = "unclear";
  const { peer, files, nodes, invite, accept, left, running } = await primary(
    t,
    true,
    () => {},
    () => standing,
  );
  const before = files.pairing();
  const refused = await peer.invite(nodes);
  assert.match(
    JSON.stringify(refused),
    /and the other machine is new, run leasectl ha partner-down on it first/,
  );
  assert.match(JSON.stringify(refused), /serves clients already, .* stop it and remove ha\/pairing\.json/);
  standing = "in force";
  const code = await invite();
  // Its last lease ends while the other node is waited for.
  standing = "unclear";
  await assert.rejects(accept(code));
  assert.deepEqual(files.pairing(), before);
  standing = "in force";
  await accept(code);
  await until("the link is there", () => running() === 1);
  assert.notDeepEqual(files.pairing(), before);
  assert.deepEqual(left, [], "it keeps what it knows");
});

test("a node takes no other role while it runs, also where its pairing was removed meanwhile", async (t) => {
  const { peer, files, nodes, started, invite, accept, running, left } = await primary(t, true);
  files.forget();
  const refused = await peer.join(nodes, `${nodes.primary.host}:${nodes.primary.port}`, "");
  assert.match(JSON.stringify(refused), /This node is the primary of a pair/);
  await accept(await invite());
  await until("the link is there", () => running() === 1);
  assert.deepEqual(left, ["primary"], "it begins anew as what it is");
  assert.equal(started.at(-1), files.pairing()?.peerFingerprint);
});

test("two invitations at the same time: the later one counts, and one link is started", async (t) => {
  const { invite, accept, running } = await primary(t, true);
  const [, code] = await Promise.all([invite(), invite()]);
  await accept(code as Uint8Array);
  await until("the link is there", () => running() === 1);
});

test("a node that was started before it was paired begins as one of the pair when the other has joined", async (t) => {
  const { peer, begun, left, started, invite, accept, running } = await primary(t, false);
  assert.deepEqual([peer.isUnpaired, peer.pair, started], [true, undefined, []]);
  const code = await invite();
  assert.deepEqual(left, [undefined], "nothing of an earlier pair is left");
  await accept(code);
  await until("the link is there", () => running() === 1);
  assert.deepEqual([begun, peer.isUnpaired], [["primary"], false]);
});
