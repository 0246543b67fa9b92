import assert from "node:assert/strict";
import { chownSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readableProgram } from "../../engine/test/readable-program.ts";
import { managerDesk } from "./manager-desk.ts";

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
