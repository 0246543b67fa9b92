import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { lockFile } from "@frontdesk/kit/lock-file";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { removeEngineState } from "../src/adapters/engine-state.ts";

test("a configuration that its owner names stays, also where it is in the engine's folder", (t) => {
  const folder = temporaryHome(t);
  for (const name of ["engine.toml", "leases.db", "lock"]) writeFileSync(join(folder, name), "");
  mkdirSync(join(folder, "conf"));
  writeFileSync(join(folder, "conf/mine.toml"), "");
  removeEngineState(folder, join(folder, "conf/mine.toml"));
  assert.deepEqual(readdirSync(folder).toSorted(), ["conf", "lock"]);
  removeEngineState(folder, undefined);
  assert.deepEqual(readdirSync(folder), ["lock"]);
  rmSync(folder, { recursive: true });
  removeEngineState(folder, undefined);
});

test("nothing of an engine that runs on beside a keeper that hangs is removed", (t) => {
  const folder = temporaryHome(t);
  writeFileSync(join(folder, "leases.db"), "");
  const letGo = lockFile(join(folder, "lock"), "");
  assert.throws(() => removeEngineState(folder, undefined), { code: "engine_busy" });
  assert.deepEqual(readdirSync(folder).toSorted(), ["leases.db", "lock"]);
  letGo();
  removeEngineState(folder, undefined);
  assert.deepEqual(readdirSync(folder), ["lock"]);
});
