import assert from "node:assert/strict";
import { linkSync, lstatSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { controlToken } from "../src/control/control-token.ts";
import { guard } from "../src/control/guard.ts";
import { takeOver } from "../src/loop/privileges.ts";
import { lockFolder } from "../src/store/folder-lock.ts";

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

test("a control token that was cut off is made anew, and an empty one lets nobody in", (t) => {
  const folder = temporaryHome(t);
  writeFileSync(join(folder, "control-token"), "");
  const config = { controlOpen: false, controlToken: undefined } as Parameters<typeof controlToken>[0];
  const made = controlToken(config, folder);
  assert.match(made ?? "", /^[\w-]{43}$/);
  assert.equal(controlToken(config, folder), made, "kept from now on");
  assert.equal(statSync(join(folder, "control-token")).mode & 0o777, 0o600);
  assert.throws(() => guard({ host: "127.0.0.1" }, "/v1/leases", { token: "", loopback: true }));
});

test("a second engine in the same folder does not start", (t) => {
  const folder = temporaryHome(t);
  const unlock = lockFolder(folder);
  assert.throws(() => lockFolder(folder), /Another engine runs in/);
  unlock();
  lockFolder(folder)();
});
