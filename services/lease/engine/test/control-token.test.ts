import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { readConfig } from "@frontdesk/lease-config/validate";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";

const CLI = fileURLToPath(new URL("../../cli/src/main.ts", import.meta.url));
const TOKEN_MODULE = new URL("../src/control/control-token.ts", import.meta.url).href;
const LOG_MODULE = new URL("../src/control/log-keeper.ts", import.meta.url).href;
const MAX_WAIT_MS = 120_000;

/** Runs in a process of its own, which is ended when it waits for the other end of a FIFO. */
function run(...words: string[]) {
  const { status, signal, stdout } = spawnSync(process.execPath, words, {
    encoding: "utf8",
    timeout: MAX_WAIT_MS,
    killSignal: "SIGKILL",
  });
  return { status, signal, stdout };
}
const evaluate = (source: string) => run("--input-type=module", "--eval", source);

test("a FIFO in the place of the control token holds up neither the engine nor leasectl", (t) => {
  const home = temporaryHome(t);
  const folder = join(home, "lease/engine");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "control-token");
  execFileSync("mkfifo", [path]);
  const asked = spawnSync(process.execPath, [CLI, "--url", "http://127.0.0.1:9", "health"], {
    env: { ...process.env, FRONTDESK_HOME: home },
    timeout: MAX_WAIT_MS,
    killSignal: "SIGKILL",
  });
  assert.deepEqual([asked.status, asked.signal], [3, null]);
  const { controlOpen, controlToken } = readConfig('[server]\nlisten = ["127.0.0.1:6767"]\n');
  const config = JSON.stringify({ controlOpen, controlToken });
  const made = evaluate(
    `import { controlToken } from ${JSON.stringify(TOKEN_MODULE)}; process.stdout.write(controlToken(${config}, ${JSON.stringify(folder)}));`,
  );
  assert.deepEqual([made.status, made.signal], [0, null]);
  assert.equal(readFileSync(path, "utf8"), `${made.stdout}\n`, "a new one takes its place");
  assert.match(
    made.stdout,
    /^fdcontrol_[\w-]{43}$/,
    "leasectl --token takes it: it never begins with a dash",
  );
});

test("a FIFO in the place of the log holds up nothing", (t) => {
  const path = join(temporaryHome(t), "engine.log");
  execFileSync("mkfifo", [path]);
  const limits = JSON.stringify({ ringLines: 5, fileBytes: 1000, files: 2 });
  const written = evaluate(
    `import { LogKeeper } from ${JSON.stringify(LOG_MODULE)}; new LogKeeper(${JSON.stringify(path)}, ${limits}, { line() {}, failure: (code) => process.stdout.write(code) }).write("{}\\n");`,
  );
  assert.deepEqual(written, { status: 0, signal: null, stdout: "ENXIO" });
});
