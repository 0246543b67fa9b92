import assert from "node:assert/strict";
import fs, { readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { DomainError } from "@frontdesk/kit/domain-error";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { withConfigFile } from "../src/adapters/config-file.ts";
import { versionOf } from "../src/domain/config-version.ts";
import type { Engine } from "../src/domain/engine.ts";
import type { EngineProcessState, Keeper } from "../src/domain/keeper.ts";

const BEFORE = '[server]\nlisten = ["192.0.2.1:6767"]\n';
const AFTER = '[server]\nlisten = ["127.0.0.1:6767"]\n';

test("a configuration can be put right also in the moment when the engine is being started again", async (t) => {
  const path = join(temporaryHome(t), "engine.toml");
  writeFileSync(path, BEFORE);
  const states: Array<EngineProcessState["state"]> = ["starting", "starting", "waiting"];
  const keeper: Partial<Keeper> = {
    state: async () => {
      const state = (states.length > 1 ? states.shift() : states[0]) ?? "waiting";
      return { state, pid: null, since: 0, restarts: 1, problem: null };
    },
  };
  const away = async () => {
    throw new DomainError("engine_away");
  };
  const engine = withConfigFile(
    { config: away, writeConfig: away } as unknown as Engine,
    keeper as Keeper,
    path,
  );
  const { file } = await engine.config();
  states.unshift("starting");
  const synced: Array<[string, string]> = [];
  t.mock.method(fs, "fsyncSync", (fd: number) => {
    synced.push([readlinkSync(`/proc/self/fd/${fd}`), readFileSync(path, "utf8")]);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const answer = await engine.writeConfig(AFTER, file ?? "");
  assert.equal(answer.kind, "applied");
  assert.equal(readFileSync(path, "utf8"), AFTER);
  assert.deepEqual(synced.at(-1), [dirname(path), AFTER], "no power cut brings the old one back");
});

test("an engine that dies after it wrote a configuration has written it", async (t) => {
  const path = join(temporaryHome(t), "engine.toml");
  const states: Array<EngineProcessState["state"]> = ["running", "running", "starting", "waiting"];
  const keeper: Partial<Keeper> = {
    state: async () => {
      const state = (states.length > 1 ? states.shift() : states[0]) ?? "waiting";
      return { state, pid: null, since: 0, restarts: 1, problem: null };
    },
  };
  const away = async () => {
    throw new DomainError("engine_away");
  };
  const diesWhile = (act: () => void) =>
    withConfigFile(
      {
        config: away,
        writeConfig: async () => {
          act();
          throw new DomainError("engine_unanswered");
        },
      } as unknown as Engine,
      keeper as Keeper,
      path,
    );
  const answer = await diesWhile(() => writeFileSync(path, AFTER)).writeConfig(AFTER, "seen");
  assert.deepEqual(answer, {
    kind: "applied",
    applied: { version: versionOf(AFTER), restart: [], trial: null },
  });

  states.unshift("running", "running");
  writeFileSync(path, BEFORE);
  await assert.rejects(diesWhile(() => {}).writeConfig(AFTER, "seen"), { code: "engine_unanswered" });
});
