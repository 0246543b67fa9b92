import assert from "node:assert/strict";
import fs, { existsSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { DomainError } from "@frontdesk/kit/domain-error";
import { lockFile } from "@frontdesk/kit/lock-file";
import { type KeptTrial, TRIAL_FILE } from "@frontdesk/lease-config/kept-trial";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { withConfigFile } from "../src/adapters/config-file.ts";
import { versionOf } from "../src/domain/config-version.ts";
import type { Engine } from "../src/domain/engine.ts";
import type { EngineProcessState, Keeper } from "../src/domain/keeper.ts";

const BEFORE = '[server]\nlisten = ["192.0.2.1:6767"]\n';
const AFTER = '[server]\nlisten = ["127.0.0.1:6767"]\n';

const NOW = 1_000_000;
const filesAt = (path: string) => ({
  path,
  trialPath: join(dirname(path), TRIAL_FILE),
  now: () => NOW,
});

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
    filesAt(path),
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
      filesAt(path),
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

test("while no engine runs, too, a subnet that is not served is refused where it is new, and nowhere else", async (t) => {
  const files = filesAt(join(temporaryHome(t), "engine.toml"));
  const unserved = (network: string, name: string) =>
    `[[subnet]]\nnetwork = "${network}"\ninterface = "${name}"\n`;
  const before = `[server]\ninterfaces = ["lan0"]\n${unserved("fd77::/64", "lan1")}`;
  writeFileSync(files.path, before);
  const keeper: Partial<Keeper> = {
    state: async () => ({ state: "stopped", pid: null, since: 0, restarts: 0, problem: null }),
  };
  const engine = withConfigFile({} as Engine, keeper as Keeper, files);
  const added = `${before}${unserved("fd78::/64", "lan2")}`;
  const checked = await engine.checkConfig(added);
  assert.deepEqual(checked.ok || checked.problems.map(({ message }) => /^"lan\d"/.exec(message)?.[0]), [
    '"lan2"',
  ]);
  assert.equal((await engine.writeConfig(added, versionOf(before))).kind, "wrong");
  assert.equal((await engine.writeConfig(`${before}\n`, versionOf(before))).kind, "applied");
});

/** An engine that was stopped, or does not start, while AFTER was on trial. */
function stoppedOnTrial(t: TestContext, state: "stopped" | "waiting", kept: Partial<KeptTrial> = {}) {
  const files = filesAt(join(temporaryHome(t), "engine.toml"));
  writeFileSync(files.path, AFTER);
  const trial = { version: versionOf(AFTER), deadline: NOW + 60_000, seconds: 90, before: BEFORE, ...kept };
  writeFileSync(files.trialPath, JSON.stringify(trial));
  const keeper: Partial<Keeper> = {
    state: async () => ({ state, pid: null, since: 0, restarts: 0, problem: null }),
  };
  const engine = withConfigFile({} as Engine, keeper as Keeper, files);
  return {
    engine,
    text: () => readFileSync(files.path, "utf8"),
    isKept: () => existsSync(files.trialPath),
    path: files.path,
    trialPath: files.trialPath,
  };
}

for (const state of ["stopped", "waiting"] as const) {
  test(`a trial is told while the engine is ${state}, and ends there as it does in a running one`, async (t) => {
    const { engine } = stoppedOnTrial(t, state);
    const { trial } = await engine.config();
    assert.deepEqual(trial, {
      version: versionOf(AFTER),
      ends_at: new Date(NOW + 60_000).toISOString(),
      seconds_left: 60,
    });

    const forGood = stoppedOnTrial(t, state);
    const written = await forGood.engine.writeConfig(AFTER, versionOf(AFTER));
    assert.equal(written.kind === "applied" && written.applied.trial, null);
    assert.deepEqual([forGood.text(), forGood.isKept()], [AFTER, false]);

    const confirmed = stoppedOnTrial(t, state);
    await assert.rejects(confirmed.engine.confirmConfig(versionOf(BEFORE)), { code: "no_trial" });
    await confirmed.engine.confirmConfig(versionOf(AFTER));
    assert.deepEqual([confirmed.text(), confirmed.isKept()], [AFTER, false]);

    const takenBack = stoppedOnTrial(t, state);
    await assert.rejects(takenBack.engine.rollBackConfig(versionOf(BEFORE)), { code: "no_trial" });
    assert.deepEqual([takenBack.text(), takenBack.isKept()], [AFTER, true]);
    const answer = await takenBack.engine.rollBackConfig(versionOf(AFTER));
    assert.equal(answer.kind === "applied" && answer.applied.version, versionOf(BEFORE));
    assert.deepEqual([takenBack.text(), takenBack.isKept()], [BEFORE, false]);
    await assert.rejects(takenBack.engine.rollBackConfig(), { code: "no_trial" });
  });
}

test("what is to be confirmed is on trial also where it is written in the moment between two engines", async (t) => {
  const { engine, text, trialPath } = stoppedOnTrial(t, "waiting", {
    version: "of a file that was changed since",
  });
  const kept = () => JSON.parse(readFileSync(trialPath, "utf8")) as KeptTrial;
  const first = `${AFTER}# first\n`;
  const answer = await engine.writeConfig(first, versionOf(AFTER), 30);
  const trial = {
    version: versionOf(first),
    ends_at: new Date(NOW + 30_000).toISOString(),
    seconds_left: 30,
  };
  assert.deepEqual(answer, {
    kind: "applied",
    applied: { version: versionOf(first), restart: [], trial },
  });
  assert.equal(text(), first);
  assert.deepEqual(kept(), { version: versionOf(first), deadline: NOW + 30_000, seconds: 30, before: AFTER });
  assert.deepEqual((await engine.config()).trial, trial);
  // What was before the first is before the second, too.
  const second = `${AFTER}# second\n`;
  await engine.writeConfig(second, versionOf(first), 60);
  assert.deepEqual([kept().before, kept().over?.version], [AFTER, versionOf(first)]);
  assert.equal((await engine.rollBackConfig(versionOf(second))).kind, "applied");
  assert.equal(text(), AFTER);
});

test("the engine of a keeper that hangs reads and writes its configuration itself, while that of the next one waits", async (t) => {
  const { path, trialPath } = stoppedOnTrial(t, "waiting");
  const words: string[] = [];
  const running = {
    config: async () => void words.push("config"),
    writeConfig: async () => void words.push("write"),
  };
  const keeper = { state: async () => ({ state: "waiting" }) };
  const engine = withConfigFile(running as unknown as Engine, keeper as unknown as Keeper, filesAt(path));
  const letGo = lockFile(join(dirname(trialPath), "lock"), "");
  await engine.config();
  await engine.writeConfig(BEFORE, versionOf(AFTER), 30);
  assert.deepEqual(words, ["config", "write"]);
  letGo();
  assert.equal((await engine.config()).text, AFTER);
});

test("what could not be written is not on trial: whoever then writes it by hand keeps it", async (t) => {
  const { engine, path, trialPath, isKept } = stoppedOnTrial(t, "stopped", { version: "another" });
  const first = `${AFTER}# first\n`;
  const rename = fs.renameSync;
  let isRefused = true;
  t.mock.method(fs, "renameSync", (from: string, to: string) => {
    if (isRefused && to === path) throw new Error("EACCES: permission denied");
    rename(from, to);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  await assert.rejects(engine.writeConfig(first, versionOf(AFTER), 30), { code: "config_unwritable" });
  assert.equal(isKept(), false);

  isRefused = false;
  await engine.writeConfig(first, versionOf(AFTER), 30);
  const kept = readFileSync(trialPath, "utf8");
  isRefused = true;
  await assert.rejects(engine.writeConfig(`${AFTER}# second\n`, versionOf(first), 60), {
    code: "config_unwritable",
  });
  assert.equal(readFileSync(trialPath, "utf8"), kept, "what was on trial before is so still");
});

test("what puts a configuration right that no engine starts with is not on trial: none goes back to that", async (t) => {
  const { engine, text, path, trialPath } = stoppedOnTrial(t, "waiting");
  writeFileSync(path, "listen = ");
  const answer = await engine.writeConfig(AFTER, versionOf("listen = "), 30);
  assert.equal(answer.kind === "applied" && answer.applied.trial, null);
  assert.deepEqual([text(), existsSync(trialPath)], [AFTER, false]);
});

test("a trial whose time ran out while no engine runs is not confirmed any more: the next engine takes it back", async (t) => {
  const { engine, text, isKept } = stoppedOnTrial(t, "stopped", { deadline: NOW - 1 });
  assert.equal((await engine.config()).trial?.seconds_left, 0);
  await assert.rejects(engine.confirmConfig(versionOf(AFTER)), { code: "no_trial" });
  assert.deepEqual([text(), isKept()], [AFTER, true]);
});

test("an edit that nobody had taken up before the trial is there again when that is taken back", async (t) => {
  const { engine, text } = stoppedOnTrial(t, "stopped", { fileBefore: `${BEFORE}# by hand\n` });
  await engine.rollBackConfig();
  assert.equal(text(), `${BEFORE}# by hand\n`);
});

test("of two trials the one is told, and taken back, that is in the file", async (t) => {
  const over = { version: versionOf(AFTER), deadline: NOW + 5_000, seconds: 60 };
  const { engine, text } = stoppedOnTrial(t, "stopped", { version: versionOf("another"), over });
  assert.deepEqual((await engine.config()).trial, {
    version: versionOf(AFTER),
    ends_at: new Date(NOW + 5_000).toISOString(),
    seconds_left: 5,
  });
  await engine.rollBackConfig(versionOf(AFTER));
  assert.equal(text(), BEFORE);
});

test("of a file that was changed since, or of a damaged one, no trial is told", async (t) => {
  const changed = stoppedOnTrial(t, "stopped", { version: versionOf(BEFORE) });
  assert.equal((await changed.engine.config()).trial, null);
  const damaged = stoppedOnTrial(t, "stopped");
  writeFileSync(damaged.trialPath, "{");
  assert.equal((await damaged.engine.config()).trial, null);
});
