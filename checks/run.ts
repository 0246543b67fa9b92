import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { BREADTH } from "@frontdesk/testkit/breadth";
import { brokenImports } from "./import-rule.ts";
import { runMutants } from "./run-mutants.ts";
import { keepTimes, runTests } from "./run-tests.ts";
import { repository, sourceFiles } from "./source-files.ts";

/** `npm test`: everything that must hold. With file names: those tests alone. */
const KEEP_TIMES = "--keep-times";
const MUTANTS = "--mutants";
const BROADLY = "--breadth";
if (process.argv.includes(MUTANTS)) {
  process.exit(runMutants(process.argv.slice(2).filter((word) => word !== MUTANTS)) ? 0 : 1);
}
if (process.argv.includes(BROADLY)) process.env[BREADTH] = "1";
const asked = process.argv.slice(2).filter((word) => word !== KEEP_TIMES && word !== BROADLY);
const failures: string[] = [];
let passed = 0;

if (asked.length === 0) {
  for (const project of ["tsconfig.json", "tsconfig.browser.json"]) {
    await step(`types (${project})`, () =>
      program("node_modules/typescript/bin/tsc", ["--project", project]),
    );
  }
  await step("style", () =>
    program("node_modules/@biomejs/biome/bin/biome", ["ci", "--colors=off", "--error-on-warnings", "."]),
  );
  await step("imports", async () => brokenImports(repository, sourceFiles()).join("\n"));
}
const tests = await runTests(asked.length > 0 ? asked : testFiles());
if (process.argv.includes(KEEP_TIMES)) keepTimes(tests.times);

failures.push(...tests.failures);
for (const failure of failures) console.log(`\nFAILED  ${failure}`);
for (const skip of tests.skips) console.log(`skipped  ${skip}`);
const skipsFail = process.env.CI === "true" && tests.skips.length > 0;
if (skipsFail) console.log("With CI=true a skipped test is a failure.");
console.log(`${passed + tests.passed} passed, ${failures.length} failed, ${tests.skips.length} skipped`);
process.exit(failures.length > 0 || skipsFail || tests.passed === 0 ? 1 : 0);

/** One check: it passes when it has nothing to say. */
async function step(name: string, check: () => Promise<string>): Promise<void> {
  const startedAt = performance.now();
  const complaint = await check();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${complaint ? "FAILED" : "ok"}  ${name} (${seconds} s)`);
  if (complaint) failures.push(`${name}\n${complaint}`);
  else passed++;
}

function program(path: string, words: string[]): Promise<string> {
  const child = spawn(process.execPath, [join(repository, path), ...words], { cwd: repository });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  return new Promise((resolve) => {
    child.on("close", (code) => resolve(code === 0 ? "" : output || `ended with ${code}`));
  });
}

function testFiles(): string[] {
  return globSync("{bin,checks,packages,services,bench,e2e}/**/*.test.ts", {
    cwd: repository,
    exclude: (path) => path.includes("node_modules"),
  }).sort();
}
