import assert from "node:assert/strict";
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { LogKeeper } from "../src/control/log-keeper.ts";

const NOWHERE = { line: () => {}, failure: () => {} };
const line = (n: number, level = 30) =>
  `${JSON.stringify({ level, time: n, service: "lease", msg: `line ${n}`, n })}\n`;

test("a full log file is set aside, and only so many are kept", (t) => {
  const folder = temporaryHome(t);
  const logs = new LogKeeper(join(folder, "engine.log"), { ringLines: 5, fileBytes: 200, files: 3 }, NOWHERE);
  for (let n = 0; n < 50; n++) logs.write(line(n));
  assert.deepEqual(readdirSync(folder).sort(), ["engine.log", "engine.log.1", "engine.log.2"]);
  assert.match(readFileSync(join(folder, "engine.log"), "utf8"), /line 49/);
  for (const name of readdirSync(folder)) assert.ok(readFileSync(join(folder, name)).length <= 200);
});

test("the last lines are kept in memory, newest first, by level and text", (t) => {
  const logs = new LogKeeper(
    join(temporaryHome(t), "engine.log"),
    { ringLines: 5, fileBytes: 10_000, files: 2 },
    NOWHERE,
  );
  for (let n = 0; n < 10; n++) logs.write(line(n, n % 2 === 0 ? 30 : 50));
  assert.deepEqual(
    logs.lines({ limit: 10 }).map(({ message }) => message),
    ["line 9", "line 8", "line 7", "line 6", "line 5"],
  );
  assert.deepEqual(
    logs.lines({ limit: 10, level: "error" }).map(({ message }) => message),
    ["line 9", "line 7", "line 5"],
  );
  assert.deepEqual(
    logs.lines({ limit: 10, text: "LINE 6" }).map(({ details }) => details.n),
    [6],
  );
  assert.equal(logs.lines({ limit: 1 }).length, 1);
});

test("lines of one client are those whose details name it, wherever, and not one that begins like it", (t) => {
  const logs = new LogKeeper(
    join(temporaryHome(t), "engine.log"),
    { ringLines: 9, fileBytes: 10_000, files: 2 },
    NOWHERE,
  );
  const told = (details: object) =>
    logs.write(`${JSON.stringify({ level: 30, time: 1, msg: "10.77.1.1", ...details })}\n`);
  told({ n: 1, ip: "10.77.1.1" });
  told({ n: 2, ip: "10.77.1.10" });
  told({ n: 3, lease: { addresses: ["10.77.1.1"] } });
  const lines = logs.lines({ limit: 10, client: "10.77.1.1" });
  assert.deepEqual(
    lines.map(({ details }) => details.n),
    [3, 1],
  );
});

test("a line as long as a client likes is kept by its beginning, in memory, in the file and on standard output", (t) => {
  const path = join(temporaryHome(t), "engine.log");
  let seen = "";
  const outlets = {
    line: (text: string) => {
      seen += text;
    },
    failure: () => {},
  };
  const logs = new LogKeeper(path, { ringLines: 5, fileBytes: 10_000_000, files: 2 }, outlets);
  const told = (details: object) =>
    logs.write(`${JSON.stringify({ level: 40, time: 7, service: "lease", ...details, msg: "refused" })}\n`);
  told({ client: { name: "ü".repeat(65_536) }, ip: "10.0.0.1" });
  told({ names: Array.from({ length: 5000 }, () => "a name of a client") });
  const [many, long] = logs.lines({ limit: 5 });
  assert.deepEqual([long?.message, long?.level, long?.details.ip], ["refused", "warn", "10.0.0.1"]);
  assert.deepEqual(long?.details.client, { name: `${"ü".repeat(1000)}…` });
  assert.equal(many?.message, "refused");
  assert.match(String(many?.details.cut), /"names":\["a name of a client"/);
  assert.equal(readFileSync(path, "utf8"), seen);
  for (const each of seen.trimEnd().split("\n")) assert.ok(each.length < 17_000);
});

test("a log that cannot be written stops nothing", (t) => {
  let seen = "";
  const failures: string[] = [];
  const logs = new LogKeeper(
    join(temporaryHome(t), "missing/engine.log"),
    { ringLines: 5, fileBytes: 100, files: 2 },
    {
      line: (text) => {
        seen += text;
      },
      failure: (code) => failures.push(code),
    },
  );
  logs.write(line(1));
  assert.equal(seen, line(1));
  assert.equal(logs.lines({ limit: 5 }).length, 1);
  logs.write(line(2));
  assert.deepEqual(failures, ["ENOENT"], "told once");
});

test("a link in place of the log file is not followed", (t) => {
  const folder = temporaryHome(t);
  const victim = join(folder, "victim");
  writeFileSync(victim, "precious");
  symlinkSync(victim, join(folder, "engine.log"));
  const failures: string[] = [];
  const logs = new LogKeeper(
    join(folder, "engine.log"),
    { ringLines: 5, fileBytes: 1e6, files: 2 },
    { line: () => {}, failure: (code) => failures.push(code) },
  );
  logs.write(line(1));
  assert.equal(readFileSync(victim, "utf8"), "precious");
  assert.deepEqual(failures, ["ELOOP"]);
});

test("limits may change while lines come in", (t) => {
  const folder = temporaryHome(t);
  const logs = new LogKeeper(
    join(folder, "engine.log"),
    { ringLines: 50, fileBytes: 1e6, files: 2 },
    NOWHERE,
  );
  for (let n = 0; n < 40; n++) logs.write(line(n));
  logs.limits = { ringLines: 5, fileBytes: 100, files: 2 };
  logs.write(line(40));
  assert.equal(logs.lines({ limit: 100 }).length, 5);
  assert.deepEqual(readdirSync(folder).sort(), ["engine.log", "engine.log.1"]);
});
