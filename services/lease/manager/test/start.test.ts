import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort } from "@frontdesk/testkit/free-port";
import { serviceProcess } from "@frontdesk/testkit/service-process";
import { managerDesk } from "./manager-desk.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** Starts one more manager, and answers with the one sentence that it ends with. */
async function refused(t: TestContext, settings: Record<string, string>): Promise<string> {
  const { started, ended, output } = serviceProcess(t, MAIN, settings);
  const { problem } = await started;
  assert.ok(problem, "it is ready");
  assert.equal(await ended, 1);
  assert.doesNotMatch(output(), /^ +at /m, "no stack trace");
  assert.doesNotMatch(problem, /\n/);
  return problem;
}

/** A configuration of the same engine beside the first one. */
function otherConfig({ home, configPath }: { home: string; configPath: string }): string {
  const path = join(home, "other.toml");
  writeFileSync(path, readFileSync(configPath, "utf8"));
  return path;
}

test("a second manager on the same folder is refused before it touches the engine or a file", async (t) => {
  const desk = await managerDesk(t);
  const admin = await desk.signedIn();
  const engine = async () => (await admin("GET", "engine/status")).json.process;
  const before = await engine();
  const kept = ["manager.db", "tls/server.crt", "engine/control-token", "keeper.sock"].map((name) =>
    join(desk.home, "lease", name),
  );
  const stateOf = (path: string) => {
    const { ino, mtimeMs } = statSync(path);
    return [path, ino, mtimeMs];
  };
  const files = kept.map(stateOf);
  const elsewhere = { ...desk.settings, LEASE_CONSOLE_LISTEN: `127.0.0.1:${await freePort()}` };
  for (const LEASE_CONFIG of [desk.configPath, otherConfig(desk)]) {
    assert.equal(
      await refused(t, { ...elsewhere, LEASE_CONFIG, LEASE_HOSTS: "desk.example.org" }),
      `Another lease manager runs in ${join(desk.home, "lease")}: stop it, or set FRONTDESK_HOME to another folder.`,
    );
    assert.deepEqual(await engine(), before);
    assert.deepEqual(kept.map(stateOf), files);
  }
  // However a manager ends, the next one is not held up.
  await desk.kill();
  await desk.start();
});
