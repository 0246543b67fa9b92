import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { join, relative } from "node:path";
import { run } from "node:test";
import { startSharedPeers } from "@frontdesk/testkit/shared-peers";
import { brokenImports } from "./import-rule.ts";
import { repository, sourceFiles } from "./source-files.ts";

/** `npm test`: everything that must hold. With file names: those tests alone. */
const LONGEST_TEST_MS = 10 * 60_000;
const asked = process.argv.slice(2);
const failures: string[] = [];
const skips: string[] = [];
let passed = 0;
let failed = 0;

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
await runTests(asked.length > 0 ? asked.map((path) => join(repository, path)) : testFiles());

for (const failure of failures) console.log(`\nFAILED  ${failure}`);
for (const skip of skips) console.log(`skipped  ${skip}`);
const skipsFail = process.env.CI === "true" && skips.length > 0;
if (skipsFail) console.log("With CI=true a skipped test is a failure.");
console.log(`${passed} passed, ${failed} failed, ${skips.length} skipped`);
process.exit(failed > 0 || skipsFail || passed === 0 ? 1 : 0);

/** One check: it passes when it has nothing to say. */
async function step(name: string, check: () => Promise<string>): Promise<void> {
  const startedAt = performance.now();
  const complaint = await check();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${complaint ? "FAILED" : "ok"}  ${name} (${seconds} s)`);
  if (complaint) failures.push(`${name}\n${complaint}`);
  if (complaint) failed++;
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
  })
    .sort()
    .map((path) => join(repository, path));
}

async function runTests(files: string[]): Promise<void> {
  const peers = await startSharedPeers();
  const seen = new Map<string, number>();
  try {
    for await (const { type, data } of run({ files, concurrency: 2, timeout: LONGEST_TEST_MS })) {
      if (type === "test:stderr") process.stderr.write(data.message);
      if (type !== "test:pass" && type !== "test:fail") continue;
      // A suite only repeats what its tests said.
      if (data.details.type === "suite") continue;
      const file = relative(repository, data.file ?? "");
      const name = `${file}: ${data.name}`;
      if (type === "test:fail") {
        failed++;
        failures.push(`${name}\n${reason(data.details.error)}`);
      } else if (data.skip !== undefined) {
        skips.push(`${name}: ${data.skip === true || data.skip === "" ? "no reason given" : data.skip}`);
      } else {
        passed++;
      }
      if (!seen.has(file)) console.log(`running ${file}`);
      seen.set(file, (seen.get(file) ?? 0) + 1);
    }
  } finally {
    await peers.stop();
  }
}

function reason(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error;
  return cause.stack ?? cause.message;
}
