import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import { type TestContext, test } from "node:test";
import { connect, createServer } from "node:tls";
import { dialOptions, fingerprintOf, tlsOptions } from "../../src/ha/link-sockets.ts";
import { INVITATION_MS, invite, join, PairingProblem } from "../../src/ha/pairing.ts";
import { PairingFiles } from "../../src/ha/pairing-files.ts";
import { codeText, newCode, parseCode } from "../../src/ha/pairing-proof.ts";
import { addresses, newKey } from "./link-desk.ts";

/** A primary that has invited; its clock is moved by hand. */
async function invited(t: TestContext, keep = (_fingerprint: string) => {}) {
  const nodes = await addresses();
  const own = await newKey();
  const kept: string[] = [];
  const timers: Array<{ milliseconds: number; act: () => void }> = [];
  const invitation = await invite({
    own,
    nodes,
    prepare: async () => {},
    keep: (fingerprint) => {
      keep(fingerprint);
      kept.push(fingerprint);
    },
    onNotKept: () => {},
    schedule: (milliseconds, act) => {
      timers.push({ milliseconds, act });
      return () => {};
    },
  });
  t.after(() => invitation.close());
  return { nodes, own, kept, timers, invitation };
}

test("a pairing that cannot be written is not made, and the code is good for another try", async (t) => {
  let isFull = true;
  const { nodes, own, kept, invitation } = await invited(t, () => {
    if (isFull) throw new Error("no space left on device");
  });
  const key = await newKey();
  await assert.rejects(join({ own: key, nodes, code: invitation.code }));
  assert.deepEqual(kept, []);
  isFull = false;
  assert.equal(await join({ own: key, nodes, code: invitation.code }), fingerprintOf(own.cert));
});

const refusal = { name: "Error", message: /did not accept the code/ };
const gone = { name: "Error", message: /cannot be reached/ };

test("each node has the other's fingerprint after the right code", async (t) => {
  const { nodes, own, kept, invitation } = await invited(t);
  const key = await newKey();
  const fingerprint = await join({ own: key, nodes, code: invitation.code });
  assert.equal(fingerprint, fingerprintOf(own.cert));
  assert.deepEqual(kept, [fingerprintOf(key.cert)]);
  assert.equal(await invitation.accepted, fingerprintOf(key.cert));
});

test("a code is used once", async (t) => {
  const { nodes, kept, invitation } = await invited(t);
  await join({ own: await newKey(), nodes, code: invitation.code });
  await assert.rejects(join({ own: await newKey(), nodes, code: invitation.code }), gone);
  assert.equal(kept.length, 1);
});

test("a code holds for ten minutes", async (t) => {
  const { nodes, kept, timers, invitation } = await invited(t);
  assert.deepEqual(
    timers.map(({ milliseconds }) => milliseconds),
    [INVITATION_MS],
  );
  for (const { act } of timers) act();
  assert.equal(await invitation.accepted, undefined);
  await assert.rejects(join({ own: await newKey(), nodes, code: invitation.code }), gone);
  assert.deepEqual(kept, []);
});

test("a wrong code pairs nobody, and the fifth ends the invitation", async (t) => {
  const { nodes, kept, invitation } = await invited(t);
  for (let n = 0; n < 5; n++)
    await assert.rejects(join({ own: await newKey(), nodes, code: newCode() }), refusal);
  assert.equal(await invitation.accepted, undefined);
  await assert.rejects(join({ own: await newKey(), nodes, code: invitation.code }), gone);
  assert.deepEqual(kept, []);
});

test("after a few wrong codes the right one is still good", async (t) => {
  const { nodes, invitation } = await invited(t);
  for (let n = 0; n < 4; n++)
    await assert.rejects(join({ own: await newKey(), nodes, code: newCode() }), refusal);
  await join({ own: await newKey(), nodes, code: invitation.code });
});

test("whoever stands between the two is noticed by both, although each speaks TLS with them", async (t) => {
  const { nodes, kept, invitation } = await invited(t);
  const between = await newKey();
  const at = await addresses();
  const server = createServer({ ...tlsOptions(between), requestCert: true }, (client) => {
    const upstream = connect(dialOptions(between, nodes));
    for (const socket of [client, upstream]) socket.on("error", () => {});
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((listening) => server.listen(at.primary.port, at.primary.host, listening));
  t.after(() => server.close());
  await assert.rejects(join({ own: await newKey(), nodes: at, code: invitation.code }), refusal);
  assert.deepEqual(kept, []);
});

test("a primary that does not know the code is not believed, whatever it answers", async (t) => {
  const at = await addresses();
  const server = createServer({ ...tlsOptions(await newKey()), requestCert: true }, (socket) => {
    socket.on("error", () => {});
    // What the other side proves is no proof of this side.
    socket.pipe(socket);
  });
  await new Promise<void>((listening) => server.listen(at.primary.port, at.primary.host, listening));
  t.after(() => server.close());
  await assert.rejects(join({ own: await newKey(), nodes: at, code: newCode() }), refusal);
});

test("a machine that is not [ha] secondary cannot use up the wrong codes", async (t) => {
  const { nodes, invitation } = await invited(t);
  const elsewhere = { ...nodes, secondary: { host: "127.0.0.9", port: 1 } };
  for (let n = 0; n < 8; n++) {
    await assert.rejects(join({ own: await newKey(), nodes: elsewhere, code: newCode() }), PairingProblem);
  }
  await join({ own: await newKey(), nodes, code: invitation.code });
});

test("a code is 128 bits, and is read as people copy it", () => {
  const code = newCode();
  assert.equal(code.length, 16);
  assert.match(codeText(code), /^([\da-f]{4}-){7}[\da-f]{4}$/);
  assert.deepEqual(parseCode(` ${codeText(code).toUpperCase()} `), Buffer.from(code));
  assert.equal(parseCode(codeText(code).slice(1)), undefined);
  assert.equal(parseCode("g".repeat(32)), undefined);
});

test("key and pairing are kept, for their owner alone; a file that cannot be one is told", async (t) => {
  const folder = mkdtempSync(joinPath(tmpdir(), "frontdesk-pairing-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const files = new PairingFiles(folder);
  assert.equal(files.pairing(), undefined);
  const key = await files.nodeKey(Date.now());
  assert.deepEqual(await files.nodeKey(Date.now()), key, "it is made once");
  const pairing = { role: "secondary", peerFingerprint: fingerprintOf(key.cert) } as const;
  files.keep(pairing);
  assert.deepEqual(new PairingFiles(folder).pairing(), pairing);
  for (const name of ["node.key", "pairing.json"]) {
    assert.equal(statSync(joinPath(folder, "ha", name)).mode & 0o777, 0o600, name);
  }
  assert.equal(statSync(joinPath(folder, "ha")).mode & 0o777, 0o700);
  for (const wrong of [
    "",
    "{}",
    `{"role":"primary"}`,
    `{"role":"x","peerFingerprint":"${pairing.peerFingerprint}"}`,
  ]) {
    mkdirSync(joinPath(folder, "ha"), { recursive: true });
    writeFileSync(joinPath(folder, "ha", "pairing.json"), wrong);
    assert.throws(() => files.pairing(), /cannot be read: remove it and run leasectl ha pair again/, wrong);
  }
});
