import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { regularFileText } from "../src/regular-file.ts";

test("a file is read; nothing, a folder and a link are none", (t) => {
  const home = temporaryHome(t);
  const path = join(home, "token");
  writeFileSync(path, "secret\n");
  symlinkSync(path, join(home, "link"));
  mkdirSync(join(home, "folder"));
  const texts = ["token", "none", "folder", "link"].map((name) => regularFileText(join(home, name)));
  assert.deepEqual(texts, ["secret\n", undefined, undefined, undefined]);
});

test("a FIFO holds nobody up", { skip: process.platform === "win32" ? "there is none" : false }, (t) => {
  const path = join(temporaryHome(t), "fifo");
  execFileSync("mkfifo", [path]);
  const program = `const { regularFileText } = await import(${JSON.stringify(import.meta.resolve("../src/regular-file.ts"))});
    process.stdout.write(String(regularFileText(${JSON.stringify(path)})));`;
  const { stdout, signal } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
    timeout: 120_000,
    killSignal: "SIGKILL",
  });
  assert.deepEqual([stdout, signal], ["undefined", null]);
});
