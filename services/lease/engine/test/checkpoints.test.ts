import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { Checkpoints, openWal, type Wal } from "../src/store/checkpoints.ts";

function recorded() {
  const lines: string[] = [];
  const keep = (_details: object, message: string) => void lines.push(message);
  return { lines, log: { info: keep, error: keep } as never };
}

test("a checkpoint that a full disk refuses is told once, and made when there is room again", async () => {
  const { lines, log } = recorded();
  let full = true;
  let restarts = 0;
  const wal: Wal = {
    size: () => ({ log: 5000, checkpointed: 0 }),
    checkpoint: () => {
      if (full) throw new Error("database or disk is full");
      return { log: 5000, checkpointed: 5000 };
    },
    close: () => {},
  };
  const checkpoints = new Checkpoints(wal, async () => restarts++, log);
  await checkpoints.check();
  await checkpoints.check();
  assert.deepEqual([lines, restarts], [["checkpoint failed; trying again"], 0]);
  full = false;
  await checkpoints.check();
  assert.deepEqual([lines, restarts], [["checkpoint failed; trying again", "checkpoint done"], 1]);
});

test("a short WAL is left alone, a long one is brought into the database", async (t) => {
  const path = join(temporaryHome(t), "some.db");
  const writer = new DatabaseSync(path);
  writer.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (b BLOB)");
  const wal = openWal(path);
  t.after(() => {
    wal.close();
    writer.close();
  });
  let restarts = 0;
  const { lines, log } = recorded();
  const checkpoints = new Checkpoints(wal, async () => restarts++, log);
  await checkpoints.check();
  assert.equal(restarts, 0);
  assert.equal(wal.size().checkpointed, 0);
  writer.prepare("INSERT INTO t VALUES (zeroblob(?))").run(4096 * 4200);
  await checkpoints.check();
  const { log: pages, checkpointed } = wal.size();
  assert.ok(pages >= 4096);
  assert.deepEqual([checkpointed, restarts, lines], [pages, 1, []]);
});
