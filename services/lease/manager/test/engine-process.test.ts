import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { until } from "@frontdesk/testkit/until";
import { EngineProcess } from "../src/keeper/engine-process.ts";

/** Serves until it is told to end, and takes a moment over that. */
const PROGRAM = `
process.on("SIGTERM", () => setTimeout(() => process.exit(0), 50));
process.send({ ready: [] });
setInterval(() => {}, 60_000);
`;

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

for (const [words, wanted] of [
  [["stop", "start", "stop"], "stopped"],
  [["restart", "stop"], "stopped"],
  [["stop", "restart", "stop", "start"], "running"],
] as const) {
  test(`of ${words.join(", ")} at once the last one counts, and no engine is lost sight of`, async (t) => {
    const program = join(temporaryHome(t), "program.mjs");
    writeFileSync(program, PROGRAM);
    const engine = new EngineProcess(program);
    t.after(() => engine.stop());
    const { pid: first } = await engine.start();
    await Promise.all(words.map((word) => engine[word]()));
    const { state, pid } = engine.state;
    assert.deepEqual([state, pid !== null], [wanted, wanted === "running"]);
    assert.ok(!isAlive(first ?? 0));
    await engine.stop();
    assert.ok(pid === null || !isAlive(pid));
  });
}

test("while an engine that cannot start is tried again its problem is told, until it runs", async (t) => {
  const home = temporaryHome(t);
  const program = join(home, "program.mjs");
  const mended = join(home, "mended");
  // Takes as long as it is looked at before it fails.
  const seen = join(home, "seen");
  writeFileSync(
    program,
    `import { existsSync, rmSync } from "node:fs";
if (existsSync(${JSON.stringify(mended)})) { ${PROGRAM} }
else setInterval(() => {
  if (!existsSync(${JSON.stringify(seen)})) return;
  rmSync(${JSON.stringify(seen)});
  process.send({ problem: "the port is taken" }, () => process.exit(1));
}, 10);`,
  );
  const engine = new EngineProcess(program);
  t.after(() => engine.stop());
  writeFileSync(seen, "");
  assert.equal((await engine.start()).problem, "the port is taken");
  await until("it is tried again", () => engine.state.state === "starting");
  assert.equal(engine.state.problem, "the port is taken");
  writeFileSync(mended, "");
  writeFileSync(seen, "");
  await until("it runs", () => engine.state.state === "running");
  assert.equal(engine.state.problem, null);
});
