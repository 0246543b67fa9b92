import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { until } from "@frontdesk/testkit/until";
import { runQuietly } from "../run-quietly.js";

const node = process.execPath;
const silent = { code: null, signal: null, stoppedBy: undefined, stderr: "" };

test("a program that runs quietly is told by how it ended and what it complained of", async () => {
  const program = "console.log('unseen'); console.error('oh'); process.exitCode = 3";
  assert.deepEqual(await runQuietly(node, ["-e", program]), { ...silent, code: 3, stderr: "oh\n" });
  const killed = await runQuietly(node, ["-e", "process.kill(process.pid, 'SIGKILL')"]);
  assert.deepEqual(killed, { ...silent, signal: "SIGKILL" });
  await assert.rejects(runQuietly("/nonexistent/program", []), { code: "ENOENT" });
});

test("a signal ends the program first, and whoever ran it goes on to its own end", async (t) => {
  const file = join(temporaryHome(t), "pid");
  const program = `require("fs").writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1_000)`;
  const launcher = `
    import { runQuietly } from ${JSON.stringify(import.meta.resolve("../run-quietly.js"))};
    const { stoppedBy } = await runQuietly(process.execPath, ["-e", ${JSON.stringify(program)}]);
    process.exitCode = stoppedBy === "SIGTERM" ? 7 : 8;
  `;
  const child = spawn(node, ["--input-type=module", "-e", launcher], { stdio: "inherit" });
  t.after(() => child.kill("SIGKILL"));
  await until("the program runs", () => existsSync(file) && readFileSync(file, "utf8") !== "");
  const pid = Number(readFileSync(file, "utf8"));
  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  const isThere = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  const wasLeft = isThere();
  if (wasLeft) process.kill(pid, "SIGKILL");
  assert.deepEqual({ code, wasLeft }, { code: 7, wasLeft: false });
});
