import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DomainError } from "@frontdesk/kit/domain-error";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { withConfigFile } from "../src/adapters/config-file.ts";
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
  const answer = await engine.writeConfig(AFTER, file ?? "");
  assert.equal(answer.kind, "applied");
  assert.equal(readFileSync(path, "utf8"), AFTER);
});
