import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "@frontdesk/testkit/free-port";
import { serviceProcess } from "@frontdesk/testkit/service-process";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { readableProgram } from "../../engine/test/readable-program.ts";
import { quitKeeper } from "../src/adapters/keeper-client.ts";
import { managerDesk, SUBNET } from "./manager-desk.ts";

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

test("started by root, manager and engine run as the owner of the state folder", {
  skip: isRoot ? false : "only root can give up root",
}, async (t) => {
  const prepare = (home: string) => {
    chownSync(home, NOBODY, NOBODY);
    chownSync(join(home, "engine.toml"), NOBODY, NOBODY);
  };
  const desk = await managerDesk(t, {}, { prepare, program: readableProgram() });
  const admin = await desk.signedIn();
  const { pid } = (await admin("GET", "engine/status")).json.process;
  for (const each of [desk.process.child.pid, pid]) {
    const [, uids] = /^Uid:\s+(.+)$/m.exec(readFileSync(`/proc/${each}/status`, "utf8")) ?? [];
    assert.deepEqual(uids?.split("\t"), Array(4).fill(String(NOBODY)));
  }
  for (const name of ["manager.db", "keeper.sock", "tls/ca.key", "engine/leases.db"]) {
    assert.equal(statSync(join(desk.home, "lease", name)).uid, NOBODY, name);
  }
  assert.equal(statSync(join(desk.home, "lease/keeper.sock")).mode & 0o077, 0);
  // What was started as root can be stopped and started by the one who is it no longer.
  assert.equal((await admin("POST", "engine/restart")).json.process.state, "running");
});

test("started by root on a home that is still to be made, all of it belongs to the owner of the folder above", {
  skip: isRoot ? false : "only root can give up root",
}, async (t) => {
  const above = temporaryHome(t);
  chownSync(above, NOBODY, NOBODY);
  const home = join(above, "desk/home");
  t.after(() => quitKeeper(join(home, "lease/keeper.sock")));
  const config = join(above, "engine.toml");
  const [dhcp, control] = [await freePort(), await freePort()];
  writeFileSync(
    config,
    `[server]\nlisten = ["127.0.0.1:${dhcp}"]\ncontrol_listen = "127.0.0.1:${control}"\n${SUBNET}`,
  );
  chownSync(config, NOBODY, NOBODY);
  const manager = serviceProcess(t, join(readableProgram(), "services/lease/manager/src/main.ts"), {
    FRONTDESK_HOME: home,
    LEASE_CONFIG: config,
    LEASE_CONSOLE_LISTEN: `127.0.0.1:${await freePort()}`,
  });
  const { ready, problem } = await manager.started;
  assert.ok(ready, problem);
  for (const name of ["desk", "desk/home", "desk/home/lease", "desk/home/lease/manager.lock"])
    assert.equal(statSync(join(above, name)).uid, NOBODY, name);
  manager.child.kill("SIGTERM");
  assert.equal(await manager.ended, 0);
});

test("started by root, nothing that the owner of the state folder has planted leads root elsewhere", {
  skip: isRoot ? false : "only root can give up root",
}, async (t) => {
  const roots = temporaryHome(t);
  chmodSync(roots, 0o755);
  const plant = (path: string) => {
    symlinkSync(roots, path);
    lchownSync(path, NOBODY, NOBODY);
  };
  const prepare = (home: string) => {
    chownSync(home, NOBODY, NOBODY);
    chownSync(join(home, "engine.toml"), NOBODY, NOBODY);
    mkdirSync(join(home, "lease"));
    chownSync(join(home, "lease"), NOBODY, NOBODY);
    plant(join(home, "lease/keeper.sock"));
  };
  const desk = await managerDesk(t, {}, { prepare, program: readableProgram() });
  const admin = await desk.signedIn();
  assert.equal((await admin("GET", "engine/status")).json.process.state, "running");
  assert.ok(statSync(join(desk.home, "lease/keeper.sock")).isSocket());
  assert.equal(await desk.stop(), 0);
  assert.deepEqual(readdirSync(roots), []);

  const main = join(readableProgram(), "services/lease/manager/src/main.ts");
  const again = async () => await serviceProcess(t, main, desk.settings).started;
  const folder = join(desk.home, "lease");
  renameSync(join(folder, "engine"), join(folder, "engine-before"));
  plant(join(folder, "engine"));
  const engine = serviceProcess(
    t,
    join(readableProgram(), "services/lease/engine/src/main.ts"),
    desk.settings,
  );
  assert.match((await engine.started).problem ?? "", /engine is a link that root did not make/);
  renameSync(folder, `${folder}-before`);
  plant(folder);
  assert.match(
    (await again()).problem ?? "",
    /lease is a link that root did not make: put a folder there\.$/,
  );
  assert.deepEqual(readdirSync(roots), []);
});
