import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { freePort } from "./free-port.ts";

const isLinux = process.platform === "linux";
const USUAL_FIRST = 32_768;

test("a port that is given to a test is not one the system gives to connections", {
  skip: isLinux ? false : "asks the Linux kernel",
}, async (t) => {
  const [first = 0] = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").split(/\s+/).map(Number);
  if (first < USUAL_FIRST) return t.skip("this machine gives other ports to connections than Linux does");
  for (let i = 0; i < 20; i++) assert.ok((await freePort()) < first);
});

test("no port is given twice, to this process or to another one", async () => {
  const mine = await Promise.all(Array.from({ length: 50 }, freePort));
  // The other one begins to look where this one began.
  const program = `Math.random = () => ${(Math.min(...mine) - 12_001) / 19_000};
    const { freePort } = await import(${JSON.stringify(import.meta.resolve("./free-port.ts"))});
    for (let i = 0; i < 50; i++) console.log(await freePort());`;
  const theirs = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  const all = [...mine, ...theirs.trim().split("\n").map(Number)];
  assert.equal(new Set(all).size, isLinux ? 100 : all.length);
});
