import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { versionOf } from "../src/config/config-file.ts";
import { controlToken } from "../src/control/control-token.ts";
import { guard } from "../src/control/guard.ts";
import { requireNobodyElse, takeOver } from "../src/loop/privileges.ts";
import { labEngine } from "./lab-engine.ts";
import { readableProgram } from "./readable-program.ts";

const skip = process.getuid?.() === 0 ? false : "needs root";

test("files change hands, and nothing that a link leads to does", { skip }, (t) => {
  const home = temporaryHome(t);
  const folder = join(home, "engine");
  mkdirSync(folder);
  const outside = join(home, "outside");
  const twin = join(home, "twin");
  for (const path of [outside, twin, join(folder, "leases.db")]) writeFileSync(path, "");
  symlinkSync(outside, join(folder, "engine.log"));
  linkSync(twin, join(folder, "engine.log.1"));
  mkdirSync(join(folder, "inner"));
  takeOver(folder, { uid: 65_534, gid: 65_534 });
  const owner = (path: string) => lstatSync(path).uid;
  assert.deepEqual([owner(folder), owner(join(folder, "leases.db"))], [65_534, 65_534]);
  assert.deepEqual([statSync(outside).uid, statSync(twin).uid], [0, 0]);
});

test("the keys of the pair change hands with the rest, and other folders inside do not", { skip }, (t) => {
  const folder = join(temporaryHome(t), "engine");
  for (const name of ["ha", "theirs"]) {
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, name, "node.key"), "", { mode: 0o600 });
  }
  takeOver(folder, { uid: 65_534, gid: 65_534 }, ["ha"]);
  const owners = (name: string) =>
    [join(folder, name), join(folder, name, "node.key")].map((path) => statSync(path).uid);
  assert.deepEqual(owners("ha"), [65_534, 65_534]);
  assert.deepEqual(owners("theirs"), [0, 0]);
});

test("a folder that is a link is refused, and nothing in what it leads to changes hands", { skip }, (t) => {
  const home = temporaryHome(t);
  const target = join(home, "etc");
  mkdirSync(target);
  writeFileSync(join(target, "shadow"), "", { mode: 0o600 });
  const folder = join(home, "engine");
  symlinkSync(target, folder);
  assert.throws(() => takeOver(folder, { uid: 65_534, gid: 65_534 }), /no link to one/);
  assert.deepEqual([statSync(target).uid, statSync(join(target, "shadow")).uid], [0, 0]);
});

const NOBODY = { uid: 65_534, gid: 65_534 };
const ROOT = { uid: 0, gid: 0 };

test("who can write the configuration can name no user but themselves", { skip }, (t) => {
  const home = temporaryHome(t);
  const path = join(home, "engine.toml");
  writeFileSync(path, "", { mode: 0o644 });
  requireNobodyElse(path, ROOT);
  requireNobodyElse(path, NOBODY);
  chownSync(path, NOBODY.uid, 0);
  requireNobodyElse(path, NOBODY);
  assert.throws(
    () => requireNobodyElse(path, ROOT),
    /run_as is refused: .*engine.toml can be written by user/,
  );
  chownSync(path, 0, NOBODY.gid);
  requireNobodyElse(path, ROOT);
  chmodSync(path, 0o664);
  requireNobodyElse(path, NOBODY);
  assert.throws(() => requireNobodyElse(path, ROOT), /by group 65534/);
  chmodSync(path, 0o646);
  assert.throws(() => requireNobodyElse(path, NOBODY), /by everyone/);
  chmodSync(path, 0o644);
  chownSync(home, NOBODY.uid, NOBODY.gid);
  assert.throws(() => requireNobodyElse(path, ROOT), /can be written by user/, "its folder");
});

test("the owner of the state folder cannot have root change a file, or stay root, by what is planted there", {
  skip,
}, async (t) => {
  const home = temporaryHome(t);
  chmodSync(home, 0o755);
  const engine = await labEngine(home, "", "", readableProgram());
  t.after(() => engine.kill("SIGKILL"));
  const folder = join(home, "lease/engine");
  mkdirSync(folder, { recursive: true });
  const text = engine.toml("");
  const victim = join(home, "victim");
  writeFileSync(victim, "precious", { mode: 0o600 });
  const trial = join(folder, "config-trial.json");
  const plant = (before: string) => {
    const kept = { version: versionOf(text), deadline: 1, seconds: 60, before };
    writeFileSync(trial, JSON.stringify(kept), { mode: 0o600 });
    for (const path of [join(home, "lease"), folder, trial]) chownSync(path, NOBODY.uid, NOBODY.gid);
  };
  symlinkSync(victim, join(folder, "engine.log"));
  plant(text.replace("[server]", '[server]\nrun_as = "root"'));
  await assert.rejects(engine.start(), /run_as is refused/);
  assert.equal(readFileSync(engine.configPath, "utf8"), text);
  plant(`${text}# planted\n`);
  await engine.start();
  assert.match(readFileSync(`/proc/${engine.process().pid}/status`, "utf8"), /^Uid:\t65534\t65534\t65534/m);
  assert.equal(readFileSync(engine.configPath, "utf8"), text, "its folder is root's");
  assert.equal(readFileSync(victim, "utf8"), "precious");
});

test("the first start as root, in a folder of another user's, becomes that user, and what it makes is that user's", {
  skip,
}, async (t) => {
  const owned = temporaryHome(t);
  chmodSync(owned, 0o755);
  for (const home of [owned, join(owned, "state", "frontdesk")]) {
    const engine = await labEngine(owned, "", "", readableProgram());
    t.after(() => engine.kill("SIGKILL"));
    chownSync(owned, NOBODY.uid, NOBODY.gid);
    await engine.start(["env", `FRONTDESK_HOME=${home}`]);
    const status = readFileSync(`/proc/${engine.process().pid}/status`, "utf8");
    assert.match(status, /^Uid:\t65534\t65534\t65534/m);
    for (const folder of [home, join(home, "lease"), join(home, "lease/engine")]) {
      assert.equal(statSync(folder).uid, NOBODY.uid, folder);
    }
    await engine.kill("SIGTERM");
  }
});

test("a control token that was cut off is made anew, and an empty one lets nobody in", (t) => {
  const folder = temporaryHome(t);
  writeFileSync(join(folder, "control-token"), "");
  const config = { controlOpen: false, controlToken: undefined } as Parameters<typeof controlToken>[0];
  const made = controlToken(config, folder);
  assert.match(made ?? "", /^fdcontrol_[\w-]{43}$/);
  assert.equal(controlToken(config, folder), made, "kept from now on");
  assert.equal(statSync(join(folder, "control-token")).mode & 0o777, 0o600);
  assert.throws(() => guard({ host: "127.0.0.1" }, "/v1/leases", { tokens: [""], loopback: true }));
});
