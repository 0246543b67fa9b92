import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "@frontdesk/testkit/free-port";
import { serviceProcess } from "@frontdesk/testkit/service-process";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { until } from "@frontdesk/testkit/until";
import { readableProgram } from "../../engine/test/readable-program.ts";
import { exchange, quitKeeper } from "../src/adapters/keeper-client.ts";
import type { EngineProcessState } from "../src/domain/keeper.ts";
import { actAs } from "../src/keeper/act-as.ts";
import { inodeAt } from "../src/keeper/inode.ts";
import { managerDesk, SUBNET } from "./manager-desk.ts";
import { childrenOf, isAlive, parentOf } from "./processes.ts";

const NOBODY = 65_534;
const NONE = { state: "stopped", pid: null };
const isRoot = process.getuid?.() === 0;

/** The four that it has: real, effective, saved, and that of the file system. */
function usersOf(pid: number | undefined): string[] | undefined {
  const [, uids] = /^Uid:\s+(.+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return uids?.split("\t");
}

/** Manager and engine shall run as nobody. */
const forNobody = (home: string) => {
  chownSync(home, NOBODY, NOBODY);
  chownSync(join(home, "engine.toml"), NOBODY, NOBODY);
};

test("started by root, manager and engine run as the owner of the state folder", {
  skip: isRoot ? false : "only root can give up root",
}, async (t) => {
  const desk = await managerDesk(t, {}, { prepare: forNobody, program: readableProgram() });
  const admin = await desk.signedIn();
  const { pid } = (await admin("GET", "engine/status")).json.process;
  for (const each of [desk.process.child.pid, pid]) {
    assert.deepEqual(usersOf(each), Array(4).fill(String(NOBODY)));
  }
  for (const name of ["manager.db", "keeper.sock", "tls/ca.key", "engine/leases.db"]) {
    assert.equal(statSync(join(desk.home, "lease", name)).uid, NOBODY, name);
  }
  assert.equal(statSync(join(desk.home, "lease/keeper.sock")).mode & 0o077, 0);
  // What was started as root can be stopped and started by the one who is it no longer.
  assert.equal((await admin("POST", "engine/restart")).json.process.state, "running");
});

test("started by root, a keeper that replaces another one has the rights that this one had", {
  skip: isRoot ? false : "only root can give up root",
}, async (t) => {
  const desk = await managerDesk(t, {}, { prepare: forNobody, program: readableProgram() });
  const sock = join(desk.home, "lease/keeper.sock");
  const engine = async () => {
    const { state, pid } = await exchange<EngineProcessState>(sock, "state").catch(() => NONE);
    return state === "running" ? (pid ?? 0) : 0;
  };
  for (const end of [(keeper: number) => process.kill(keeper, "SIGKILL"), () => rmSync(sock)]) {
    const before = await engine();
    end(parentOf(before));
    await until("another engine runs", async () => ![0, before].includes(await engine()));
    assert.equal(usersOf(parentOf(await engine()))?.[0], "0");
  }
  const helpers = childrenOf(desk.process.child.pid);
  assert.equal(helpers.length, 1);
  await desk.kill();
  await until("root's part of the manager ends with it", () => !helpers.some(isAlive));
  assert.ok(await engine(), "the engine does not");
});

test("started by root, a keeper that somebody else started is replaced by one with the rights of root", {
  skip: isRoot ? false : "only root can give up root",
}, async (t) => {
  const desk = await managerDesk(t, {}, { prepare: forNobody, program: readableProgram() });
  const sock = join(desk.home, "lease/keeper.sock");
  assert.equal(await desk.stop(), 0);
  const [keeper = "", engine = ""] = ["manager/src/keeper/main.ts", "engine/src/main.ts"].map((main) =>
    join(readableProgram(), "services/lease", main),
  );
  // Not from the beginning: the runtime may be where only root can start it.
  const drop = `data:text/javascript,process.setgid(${NOBODY});process.setuid(${NOBODY})`;
  const rightless = spawn(process.execPath, ["--import", drop, keeper, sock, engine, desk.configPath], {
    stdio: "ignore",
  });
  t.after(() => rightless.kill());
  const ended = once(rightless, "exit");
  await until("it listens", () => existsSync(sock));
  await desk.start();
  await ended;
  const { pid } = await exchange<EngineProcessState>(sock, "state");
  assert.equal(usersOf(parentOf(pid ?? 0))?.[0], "0");
});

test("a socket in a folder that is closed to the keeper for now is not taken for one that is gone", {
  skip: isRoot ? false : "only root can close a folder to another user",
}, (t) => {
  const folder = temporaryHome(t);
  writeFileSync(join(folder, "there"), "");
  const nobody = { uid: NOBODY, gid: NOBODY };
  const own = inodeAt(join(folder, "there"), undefined);
  assert.equal(
    actAs(nobody, () => inodeAt(join(folder, "there"), own)),
    own,
  );
  for (const gone of ["gone", "there/gone"]) assert.equal(inodeAt(join(folder, gone), own), undefined);
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
    forNobody(home);
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
  const again = async (others = {}) => await serviceProcess(t, main, { ...desk.settings, ...others }).started;
  const folder = join(desk.home, "lease");
  renameSync(join(folder, "engine"), join(folder, "engine-before"));
  plant(join(folder, "engine"));
  const engine = serviceProcess(
    t,
    join(readableProgram(), "services/lease/engine/src/main.ts"),
    desk.settings,
  );
  assert.match(
    (await engine.started).problem ?? "",
    /engine is a link of user 65534, who is neither root nor/,
  );
  renameSync(folder, `${folder}-before`);
  plant(folder);
  const refused = /is a link of user 65534, who is neither root nor the owner .*: put a folder there\.$/;
  assert.match((await again()).problem ?? "", refused);
  // A level above, too: it would run as the user whose folder that is.
  plant(join(desk.home, "above"));
  assert.match((await again({ FRONTDESK_HOME: join(desk.home, "above") })).problem ?? "", refused);
  assert.deepEqual(readdirSync(roots), []);
  mkdirSync(join(roots, "lease"));
  assert.match((await again({ FRONTDESK_HOME: join(desk.home, "above") })).problem ?? "", refused);
  assert.deepEqual(readdirSync(join(roots, "lease")), []);
});
