import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { roomFor, soManyAtOnce } from "./at-once.js";
import { root } from "./places.js";
import { Problem } from "./problem.js";
import { runQuietly } from "./run-quietly.js";
import { services } from "./services.js";

/** What every console is made of, besides its own folder. */
const SHARED = ["packages/ui", "packages/signin/pages", "package-lock.json"];
const NOT_SOURCES = /^(node_modules|dist.*|test)$/;
/** What the bundler was seen to take for the largest console, and some more. */
const BUNDLER_BYTES = 1024 ** 3;

/**
 * Builds the consoles of these services, unless what they are made of is what they were made of before; as many at once as
 * there is memory for.
 */
export async function buildConsoles(names, node) {
  const withConsole = names.filter((name) => services[name].console);
  await soManyAtOnce(roomFor(BUNDLER_BYTES), withConsole, (name) =>
    buildConsole(name, join(root, services[name].console), node),
  );
}

async function buildConsole(name, folder, node) {
  const dist = join(folder, "dist");
  const stamp = join(dist, ".frontdesk-built");
  // Its guide is one of its pages.
  const guide = join("docs", `${name}.md`);
  const wanted = hashOf([folder, ...[...SHARED, guide].map((path) => join(root, path))]);
  const isBuilt = () => existsSync(stamp) && readFileSync(stamp, "utf8") === wanted;
  if (isBuilt()) return;

  console.error(`Building, once: the ${name} console …`);
  // Beside its place and then moved there: two launchers at once, or one that is interrupted, leave a whole one.
  const fresh = join(folder, `dist-${process.pid}`);
  const old = join(folder, `dist-${process.pid}-old`);
  let isStopped = false;
  try {
    mkdirSync(fresh);
    const vite = join(root, "node_modules/vite/bin/vite.js");
    const words = [vite, "build", folder, "--outDir", fresh, "--logLevel", "error"];
    const { code, signal, stoppedBy, stderr } = await runQuietly(node, words);
    isStopped = stoppedBy !== undefined;
    if (isStopped) throw new Error(`stopped by ${stoppedBy}.`);
    if (signal) throw new Error(`the bundler was ended by ${signal}; it needs about 1 GB of memory.`);
    if (code !== 0) throw new Error(firstWords(stderr));
    writeFileSync(join(fresh, ".frontdesk-built"), wanted);
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(fresh, dist);
  } catch (error) {
    if (!isStopped && isBuilt()) return;
    throw new Problem(`The ${name} console could not be built: ${error.message}`);
  } finally {
    for (const leftover of [fresh, old]) rmSync(leftover, { recursive: true, force: true });
  }
}

/** What the bundler complains of, without its frame and colours. */
function firstWords(output) {
  return stripVTControlCharacters(output)
    .replace(/[\u2500-\u257f]/g, " ")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line && !/^(✗ |error during build|Build failed)/.test(line))
    .slice(0, 3)
    .join(" ");
}

function hashOf(paths) {
  const hash = createHash("sha256");
  for (const file of paths.flatMap(filesIn).sort()) {
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update("\0");
  }
  return hash.digest("hex");
}

function filesIn(path) {
  if (!existsSync(path)) return [];
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => !NOT_SOURCES.test(entry.name))
      .flatMap((entry) => filesIn(join(path, entry.name)));
  } catch (error) {
    if (error.code !== "ENOTDIR") throw error;
    return [path];
  }
}
