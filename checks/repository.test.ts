import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { settingsPage } from "./settings-page.ts";
import { repository } from "./source-files.ts";

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
  cwd: repository,
  encoding: "utf8",
})
  .split("\0")
  .filter((file) => file && existsSync(join(repository, file)));
const read = (file: string) => readFileSync(join(repository, file), "utf8");

test("docs/settings.md says what the services read", () => {
  assert.equal(read("docs/settings.md"), settingsPage(), "run: npm run docs");
});

test("no lock file names a host", () => {
  const locks = files.filter((file) => file.endsWith("package-lock.json"));
  assert.ok(locks.length >= 2);
  for (const lock of locks) assert.doesNotMatch(read(lock), /"resolved": "(https?|git)/, lock);
});

test("every native package in the lock file is there for Linux on x64 and on arm64", () => {
  const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, object> };
  const names = Object.keys(packages);
  for (const name of names.filter((each) => each.includes("linux-arm64"))) {
    assert.ok(names.includes(name.replace("linux-arm64", "linux-x64")), name);
  }
  for (const name of names.filter((each) => /linux-x64(?!.*musl)/.test(each))) {
    assert.ok(names.includes(name.replace("linux-x64", "linux-arm64")), name);
  }
});

test("every link between the pages leads somewhere", () => {
  for (const page of files.filter((file) => file.endsWith(".md"))) {
    for (const [, target = ""] of read(page).matchAll(/\]\(([^)#]+)[^)]*\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      assert.ok(existsSync(join(repository, dirname(page), target)), `${page} links to ${target}`);
    }
  }
});
