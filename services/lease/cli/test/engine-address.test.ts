import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CONTROL_HEADER } from "@frontdesk/lease-control-api/schemas";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";

const PROGRAM = fileURLToPath(new URL("../src/main.ts", import.meta.url));

test("leasectl finds the engine of this machine where it told that it is", async (t) => {
  const tokens: Array<string | undefined> = [];
  const engine = createServer(({ headers }, response) => {
    tokens.push(headers.authorization);
    response.setHeader(CONTROL_HEADER.name, CONTROL_HEADER.version);
    response.end('{"items":[],"next_cursor":null,"total":0}');
  }).listen(0, "127.0.0.1");
  t.after(() => engine.close());
  await new Promise((resolve) => engine.on("listening", resolve));
  const home = temporaryHome(t);
  mkdirSync(join(home, "lease/engine"), { recursive: true });
  const url = `http://127.0.0.1:${(engine.address() as AddressInfo).port}`;
  const env = { ...process.env, FRONTDESK_HOME: home, LEASECTL_URL: undefined, LEASECTL_TOKEN: undefined };
  for (const token of ["a-secret-of-the-house-itself", null]) {
    writeFileSync(join(home, "lease/engine/control.json"), JSON.stringify({ url, token }));
    await promisify(execFile)(process.execPath, [PROGRAM, "leases"], { env });
  }
  assert.deepEqual(tokens, ["Bearer a-secret-of-the-house-itself", undefined]);

  // What answers at another address is another engine, or none at all.
  const elsewhere = "http://127.0.0.1:9";
  const kept = JSON.stringify({ url: elsewhere, token: "a-secret-of-the-house-itself" });
  writeFileSync(join(home, "lease/engine/control.json"), kept);
  tokens.length = 0;
  await promisify(execFile)(process.execPath, [PROGRAM, "--url", url, "leases"], { env });
  await promisify(execFile)(process.execPath, [PROGRAM, "leases"], { env: { ...env, LEASECTL_URL: url } });
  await promisify(execFile)(process.execPath, [PROGRAM, "--url", url, "--token", "told", "leases"], { env });
  assert.deepEqual(tokens, [undefined, undefined, "Bearer told"]);
});
