import assert from "node:assert/strict";
import fs, {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { versionOf } from "../src/config/config-file.ts";
import { RunningConfig } from "../src/config/running-config.ts";
import { startConfig } from "../src/config/start-config.ts";

const toml = (seconds: number, listen = "127.0.0.1:6767") =>
  `[server]\nlisten = ["${listen}"]\n[lease]\ndefault_time = ${seconds}\n`;
const ONE = toml(1000);
const TWO = toml(2000);
const THREE = toml(3000);

function running(t: TestContext, home = temporaryHome(t), text = ONE, startedAt = 1_000_000) {
  const path = join(home, "config", "engine.toml");
  const trialPath = join(home, "trial.json");
  mkdirSync(join(home, "config"), { recursive: true });
  if (!existsSync(path)) writeFileSync(path, text, { mode: 0o640 });
  const applied: string[] = [];
  const state = {
    now: startedAt,
    /** By how much the wall clock was set. */
    set: 0,
    timer: undefined as { at: number; act: () => void } | undefined,
    refused: 0,
    /** Stands in for the packet thread. */
    take: async () => {},
  };
  const started = startConfig({ path, trialPath, sample: undefined, now: startedAt });
  const config = new RunningConfig({
    path,
    trialPath,
    text: started.text,
    config: started.config,
    apply: async (_text, version) => {
      await state.take();
      applied.push(version);
    },
    onApplied: () => {},
    onRefused: () => state.refused++,
    log: { info: () => {}, warn: () => {}, error: () => {} } as never,
    now: () => state.now + state.set,
    monotonic: () => state.now,
    schedule: (milliseconds, act) => {
      state.timer = { at: state.now + milliseconds, act };
      return () => {
        state.timer = undefined;
      };
    },
  });
  const file = () => readFileSync(path, "utf8");
  const pass = async (milliseconds: number) => {
    state.now += milliseconds;
    if (state.timer && state.timer.at <= state.now) {
      const { act } = state.timer;
      state.timer = undefined;
      act();
      // Whatever was asked first is done first.
      await config.confirm("nothing");
    }
  };
  return { home, path, trialPath, config, file, pass, applied, state };
}

test("a file is written and taken up only over the version the caller has seen", async (t) => {
  const { config, file } = running(t);
  assert.deepEqual(await config.write(TWO, versionOf(THREE)), { kind: "changed", version: versionOf(ONE) });
  assert.equal(file(), ONE);
  assert.deepEqual(await config.write(TWO, versionOf(ONE)), {
    kind: "applied",
    version: versionOf(TWO),
    restart: [],
  });
  assert.equal(file(), TWO);
  assert.equal(config.running.version, versionOf(TWO));
});

test("of two writers who saw the same version, one wins and the other is told", async (t) => {
  const { config } = running(t);
  const outcomes = await Promise.all([
    config.write(TWO, versionOf(ONE)),
    config.write(THREE, versionOf(ONE)),
  ]);
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ["applied", "changed"],
  );
});

test("a mistake changes neither the file nor what runs", async (t) => {
  const { config, file, state } = running(t);
  const outcome = await config.write("nonsense", versionOf(ONE));
  assert.equal(outcome.kind, "refused");
  assert.deepEqual([file(), config.running.version, state.refused], [ONE, versionOf(ONE), 1]);
});

test("what an older engine took runs on with a subnet that is not served, and comes back to it; a new one is refused", async (t) => {
  const unserved = '[server]\ninterfaces = ["lan0"]\n[[subnet]]\nnetwork = "fd77::/64"\ninterface = "lan1"\n';
  const mended = unserved.replace('"lan1"', '"lan0"');
  const { home, config, file, pass, state } = running(t, undefined, unserved);
  assert.deepEqual(
    config.config.unserved.map(({ line, message }) => `${line}: ${message}`),
    ['5: "lan1" is none of [server] interfaces: write one of them as it is written there.'],
  );
  const other = `${unserved}[[subnet]]\nnetwork = "fd78::/64"\ninterface = "lan2"\n`;
  assert.equal((await config.write(other, versionOf(unserved))).kind, "refused");
  // Whoever changes something else, and may not change that, is not kept from it.
  const again = `${unserved}\n`;
  assert.equal((await config.write(again, versionOf(unserved))).kind, "applied");
  assert.equal((await config.write(unserved, versionOf(again))).kind, "applied");
  assert.equal((await config.tryOut(mended, versionOf(unserved), 60)).kind, "applied");
  // What a restart in the middle finds is as good.
  const restarted = running(t, home, unserved, state.now);
  assert.ok(restarted.config.trial);
  restarted.config.close();
  await pass(60_000);
  assert.deepEqual([file(), config.running.version], [unserved, versionOf(unserved)]);
});

test("the file keeps its mode, and nothing is left beside it", async (t) => {
  const { config, path, home } = running(t);
  await config.write(TWO, versionOf(ONE));
  assert.equal(statSync(path).mode & 0o777, 0o640);
  assert.deepEqual(
    [...(await import("node:fs")).readdirSync(join(home, "config"))].filter((name) => name.endsWith(".new")),
    [],
  );
});

test("what waits for a restart is named, and what runs and what is in the file are told apart", async (t) => {
  const { config, path } = running(t);
  await config.write(toml(2000, "127.0.0.1:6768"), versionOf(ONE));
  assert.deepEqual(config.restart, ["listen"]);
  writeFileSync(path, THREE);
  assert.notEqual(config.file()?.version, config.running.version);
  await config.reload();
  assert.deepEqual(config.restart, []);
  assert.equal(config.file()?.version, config.running.version);
});

test("a change that nobody confirms is taken back when its time is over", async (t) => {
  const { config, file, pass, applied, trialPath } = running(t);
  await config.tryOut(TWO, versionOf(ONE), 60);
  assert.deepEqual([file(), config.trial?.version], [TWO, versionOf(TWO)]);
  await pass(59_000);
  assert.equal(file(), TWO);
  await pass(1000);
  assert.equal(file(), ONE);
  assert.equal(config.running.version, versionOf(ONE));
  assert.deepEqual(applied, [versionOf(TWO), versionOf(ONE)]);
  assert.equal(config.trial, undefined);
  assert.equal(existsSync(trialPath), false);
});

test("a change that is confirmed stays; another version cannot be confirmed in its place", async (t) => {
  const { config, file, pass } = running(t);
  await config.tryOut(TWO, versionOf(ONE), 60);
  assert.equal(await config.confirm(versionOf(THREE)), false);
  assert.equal(await config.confirm(versionOf(TWO)), true);
  await pass(120_000);
  assert.equal(file(), TWO);
  assert.equal(await config.confirm(versionOf(TWO)), false);
});

test("a second trial before the first is confirmed goes back to what was confirmed last", async (t) => {
  const { config, file, pass } = running(t);
  await config.tryOut(TWO, versionOf(ONE), 60);
  await pass(30_000);
  await config.tryOut(THREE, versionOf(TWO), 60);
  await pass(59_000);
  assert.equal(file(), THREE);
  await pass(1000);
  assert.equal(file(), ONE);
});

test("a trial whose time runs out while the next one is being taken up does not end that one", async (t) => {
  const { config, file, state, pass } = running(t);
  await config.tryOut(TWO, versionOf(ONE), 60);
  const { timer } = state;
  state.take = async () => timer?.act();
  state.now += 60_000;
  assert.equal((await config.tryOut(THREE, versionOf(TWO), 600)).kind, "applied");
  await config.confirm("nothing");
  assert.deepEqual([config.running.text, file(), config.trial?.version], [THREE, THREE, versionOf(THREE)]);
  state.take = async () => {};
  await pass(600_000);
  assert.deepEqual([config.running.text, file()], [ONE, ONE], "when its own time is over");
});

test("a trial whose time runs out while the next one is refused is taken back", async (t) => {
  const { config, file, state } = running(t);
  await config.tryOut(TWO, versionOf(ONE), 60);
  const refused = config.tryOut("nonsense", versionOf(TWO), 600);
  state.timer?.act();
  assert.equal((await refused).kind, "refused");
  await config.confirm("nothing");
  assert.deepEqual([config.running.text, file()], [ONE, ONE]);
});

test("who writes for good what is being tried out keeps it", async (t) => {
  const { config, file, pass, trialPath } = running(t);
  await config.tryOut(TWO, versionOf(ONE), 60);
  assert.equal((await config.write(TWO, versionOf(TWO))).kind, "applied");
  assert.deepEqual([config.trial, existsSync(trialPath)], [undefined, false]);
  await pass(120_000);
  assert.deepEqual([config.running.text, file()], [TWO, TWO]);
});

test("a configuration that cannot be taken up leaves the file, and a trial, as they were", async (t) => {
  const { config, file, state, pass, trialPath } = running(t);
  const fail = async () => {
    throw new Error("the packet thread is gone");
  };
  state.take = fail;
  await assert.rejects(config.write(TWO, versionOf(ONE)), /packet thread/);
  await assert.rejects(config.tryOut(TWO, versionOf(ONE), 60), /packet thread/);
  assert.deepEqual([config.running.text, file(), existsSync(trialPath)], [ONE, ONE, false]);
  state.take = async () => {};
  await config.tryOut(TWO, versionOf(ONE), 60);
  const kept = readFileSync(trialPath, "utf8");
  state.take = fail;
  await assert.rejects(config.tryOut(THREE, versionOf(TWO), 600), /packet thread/);
  assert.deepEqual([config.running.text, file(), readFileSync(trialPath, "utf8")], [TWO, TWO, kept]);
  state.take = async () => {};
  await pass(60_000);
  assert.deepEqual([config.running.text, file()], [ONE, ONE]);
});

test("a trial that is refused leaves the one before as it was", async (t) => {
  const { config, file, pass } = running(t);
  await config.tryOut(TWO, versionOf(ONE), 60);
  assert.equal((await config.tryOut("nonsense", versionOf(TWO), 600)).kind, "refused");
  await pass(60_000);
  assert.equal(file(), ONE);
});

test("of a pair, another identity waits for a restart", async (t) => {
  const paired = (identity: string) =>
    `[server]\nlisten = ["127.0.0.1:6767"]\nidentity = "${identity}"\n[ha]\nenabled = true\nprimary = "127.0.0.1:1"\nsecondary = "127.0.0.2:1"\n`;
  const { config } = running(t, undefined, paired("client_id"));
  await config.write(paired("mac"), config.running.version);
  assert.deepEqual(config.restart, ["identity"]);
});

test("after a restart a trial goes on; one that ran out meanwhile is rolled back by the start", async (t) => {
  const first = running(t);
  await first.config.tryOut(TWO, versionOf(ONE), 60);
  const second = running(t, first.home, ONE, 1_059_000);
  assert.equal(second.config.running.version, versionOf(TWO));
  assert.equal(second.config.trial?.version, versionOf(TWO));
  const third = running(t, first.home, ONE, 1_060_000);
  assert.equal(third.config.running.version, versionOf(ONE), "what runs, at once");
  assert.equal(third.file(), TWO, "a start only reads");
  assert.equal(third.config.trial, undefined);
  assert.equal(await third.config.confirm(versionOf(TWO)), false, "too late");
  await third.pass(0);
  assert.equal(third.file(), ONE);
  assert.equal(existsSync(third.trialPath), false);
});

test("where the engine ends while a second trial takes the place of the first, that is still taken back in its time", async (t) => {
  const first = running(t);
  await first.config.tryOut(TWO, versionOf(ONE), 60);
  await first.config.tryOut(THREE, versionOf(TWO), 600);
  // The second is kept before the file is written.
  writeFileSync(first.path, TWO);
  const kept = readFileSync(first.trialPath);
  const second = running(t, first.home, ONE, 1_059_000);
  assert.deepEqual([second.config.running.text, second.config.trial?.version], [TWO, versionOf(TWO)]);
  await second.pass(1000);
  assert.deepEqual([second.config.running.text, second.file()], [ONE, ONE]);
  assert.equal(existsSync(second.trialPath), false);

  writeFileSync(first.path, TWO);
  writeFileSync(first.trialPath, kept, { mode: 0o600 });
  const third = running(t, first.home, ONE, 1_060_000);
  assert.equal(third.config.running.text, ONE, "its time ran out while no engine ran");
  await third.pass(0);
  assert.equal(third.file(), ONE);
});

test("a clock that is set back while no engine runs gives a trial no more time than it had at first", async (t) => {
  const first = running(t);
  await first.config.tryOut(TWO, versionOf(ONE), 60);
  const second = running(t, first.home, ONE, 1000);
  assert.equal(second.state.timer?.at, 61_000);
  await second.pass(60_000);
  assert.equal(second.file(), ONE);
});

test("a file that cannot be written does not keep what runs from being rolled back", async (t) => {
  const { config, file, pass, path, applied, home } = running(t);
  await config.tryOut(TWO, versionOf(ONE), 60);
  // A folder where the new file is made: no user, not even root, can write that.
  const obstacle = join(home, "config", `.${process.pid}.new`);
  mkdirSync(obstacle);
  await pass(60_000);
  assert.deepEqual([config.running.version, file()], [versionOf(ONE), TWO]);
  assert.equal(config.trial, undefined);
  assert.equal(await config.confirm(versionOf(TWO)), false);
  await pass(10_000);
  assert.equal(file(), TWO);
  rmSync(obstacle, { recursive: true });
  await pass(10_000);
  assert.equal(file(), ONE);
  assert.deepEqual(applied, [versionOf(TWO), versionOf(ONE)], "what runs was changed once");
  assert.equal(statSync(path).mode & 0o777, 0o640);
});

test("no change is made of a trial that is over and is still in the file", async (t) => {
  for (const change of ["write", "tryOut"] as const) {
    const { config, file, pass, trialPath, home, state } = running(t);
    await config.tryOut(TWO, versionOf(ONE), 60);
    const obstacle = join(home, "config", `.${process.pid}.new`);
    mkdirSync(obstacle);
    await pass(60_000);
    const made = () => config[change](THREE, versionOf(TWO), 60);
    assert.equal((await made()).kind, "unwritable");
    rmSync(obstacle, { recursive: true });
    assert.deepEqual(await made(), { kind: "changed", version: versionOf(ONE) });
    assert.deepEqual([config.running.version, file()], [versionOf(ONE), ONE]);
    assert.deepEqual([existsSync(trialPath), state.timer], [false, undefined]);
    assert.equal((await config.write(THREE, versionOf(ONE))).kind, "applied");
  }
});

test("a rollback leaves a file alone that was edited by hand meanwhile", async (t) => {
  const { config, file, pass, path, trialPath } = running(t);
  await config.tryOut(TWO, versionOf(ONE), 60);
  writeFileSync(path, THREE);
  await pass(60_000);
  assert.equal(config.running.version, versionOf(ONE));
  assert.equal(file(), THREE);
  assert.equal(existsSync(trialPath), false);
});

test("a rollback brings back an edit of the file that was never taken up", async (t) => {
  const first = running(t);
  const edit = `${THREE}# unfinished work`;
  writeFileSync(first.path, edit);
  await first.config.tryOut(TWO, versionOf(edit), 60);
  await first.config.tryOut(toml(2500), versionOf(TWO), 60);
  await first.pass(60_000);
  assert.deepEqual([first.config.running.version, first.file()], [versionOf(ONE), edit]);

  await first.config.tryOut(TWO, versionOf(edit), 60);
  writeFileSync(first.path, THREE);
  await first.config.tryOut(toml(2500), versionOf(THREE), 60);
  const second = running(t, first.home, ONE, first.state.now + 60_000);
  await second.pass(0);
  assert.deepEqual(
    [second.config.running.version, second.file()],
    [versionOf(ONE), THREE],
    "after a restart",
  );
});

test("a confirmation is answered when no power cut can take it back, and not at all when it cannot be kept", async (t) => {
  const { config, trialPath, pass, file } = running(t);
  await config.tryOut(TWO, versionOf(ONE), 60);
  const synced: boolean[] = [];
  let broken = true;
  t.mock.method(fs, "fsyncSync", () => {
    if (broken) throw new Error("EIO");
    synced.push(existsSync(trialPath));
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  await assert.rejects(config.confirm(versionOf(TWO)), /EIO/);
  assert.equal(config.trial?.version, versionOf(TWO));
  broken = false;
  assert.equal(await config.confirm(versionOf(TWO)), true);
  assert.deepEqual(synced, [false], "its folder, once the trial is gone");
  await pass(60_000);
  assert.equal(file(), TWO);
});

const skip = process.getuid?.() === 0 ? false : "needs root";
const planted = JSON.stringify({ version: versionOf(ONE), deadline: 0, seconds: 60, before: TWO });
for (const [name, plant] of [
  ["is a link", (path: string) => symlinkSync(join(path, "../elsewhere.json"), path)],
  ["has a second name", (path: string) => linkSync(join(path, "../elsewhere.json"), path)],
  [
    "others may write",
    (path: string) => {
      writeFileSync(path, planted);
      chmodSync(path, 0o666);
    },
  ],
  [
    "is not of the folder's owner",
    (path: string) => {
      writeFileSync(path, planted, { mode: 0o600 });
      chownSync(path, 65_534, 65_534);
    },
  ],
  [
    "holds mistakes",
    (path: string) =>
      writeFileSync(path, planted.replace(JSON.stringify(TWO), '"nonsense"'), { mode: 0o600 }),
  ],
  ["is no trial", (path: string) => writeFileSync(path, '{"deadline":1e999}', { mode: 0o600 })],
] as const) {
  test(`a trial file that ${name} is not believed`, { skip }, (t) => {
    const home = temporaryHome(t);
    writeFileSync(join(home, "elsewhere.json"), planted, { mode: 0o600 });
    plant(join(home, "trial.json"));
    const { config, file, state } = running(t, home);
    assert.deepEqual([config.running.version, file()], [versionOf(ONE), ONE]);
    assert.equal(state.timer, undefined);
  });
}

test("another version that is brought in meanwhile ends the trial: nothing is taken back over it", async (t) => {
  const { config, file, pass, path } = running(t);
  await config.tryOut(TWO, versionOf(ONE), 60);
  writeFileSync(path, THREE);
  await config.reload();
  await pass(120_000);
  assert.equal(file(), THREE);
  await config.tryOut(TWO, versionOf(THREE), 60);
  await config.reload();
  assert.equal(config.trial?.version, versionOf(TWO), "the same version again is no decision");
  await config.write(ONE, versionOf(TWO));
  await pass(120_000);
  assert.equal(file(), ONE);
});

test("a file that was changed while no engine ran is not rolled back at the next start", async (t) => {
  const { config, path, home } = running(t);
  await config.tryOut(TWO, versionOf(ONE), 60);
  writeFileSync(path, THREE);
  const next = running(t, home, ONE, 9_000_000);
  assert.deepEqual([next.config.running.version, next.file()], [versionOf(THREE), THREE]);
  assert.equal(existsSync(next.trialPath), false);
});

test("a link that waits where the new file is made is not followed", async (t) => {
  const { config, home, file } = running(t);
  const victim = join(home, "victim");
  writeFileSync(victim, "precious");
  symlinkSync(victim, join(home, "config", `.${process.pid}.new`));
  await config.write(TWO, versionOf(ONE));
  assert.equal(readFileSync(victim, "utf8"), "precious");
  assert.equal(file(), TWO);
});

test("how long a trial has left is what its timer gives it, however the wall clock is set", async (t) => {
  const { config, pass, state } = running(t);
  await config.tryOut(TWO, versionOf(ONE), 60);
  await pass(20_000);
  for (const set of [0, 3_600_000, -3_600_000]) {
    state.set = set;
    assert.equal(config.trial?.secondsLeft, 40, `${set}`);
  }
  await pass(40_000);
  assert.equal(config.trial, undefined);
});
