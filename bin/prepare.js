import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { lockDrift } from "./lock-drift.js";
import { root } from "./places.js";
import { Problem } from "./problem.js";

/** The oldest Node that has all that the services use (node:sqlite's setAuthorizer came last). */
const OLDEST_NODE = "24.10";

/** Makes this checkout ready to run, and returns the path of the Node that runs it. */
export function prepare() {
  const node = isRecentEnough(process.versions.node) ? process.execPath : pinnedNode();
  installLocked({ folder: root, what: "The dependencies", node });
  return node;
}

export function isRecentEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE.split(".").map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

function pinnedNode() {
  const folder = join(root, "runtime");
  const platform = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const { optionalDependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (!Object.hasOwn(optionalDependencies, name)) {
    throw new Problem(
      `This is Node ${process.versions.node} and Frontdesk needs ${OLDEST_NODE} or newer; there is no ready-made one for ${platform} on ${process.arch}, so please install it.`,
    );
  }
  const version = optionalDependencies[name];
  const binary = join(folder, "node_modules", name, "bin", platform === "win" ? "node.exe" : "node");
  installLocked({
    folder,
    what: `Node ${version} (this machine has ${process.versions.node})`,
    node: process.execPath,
    prove: () => proveNode(binary, version),
  });
  return binary;
}

/** npm leaves out an optional package that it could not fetch, and calls that success. */
function proveNode(binary, version) {
  if (!existsSync(binary)) throw new Error("");
  const { stdout, stderr, error } = spawnSync(binary, ["--version"], { encoding: "utf8" });
  if (stdout?.trim() === `v${version}`) return;
  const why = error?.message ?? (stderr.trim().split("\n")[0] || `it says ${stdout.trim()}`);
  throw new Problem(
    `Node ${version} was brought but does not run on this machine (${why}): please install Node ${OLDEST_NODE} or newer.`,
  );
}

/**
 * Installs what a folder's lock file says, unless exactly that was installed before. npm runs on the
 * Node that will use the packages, because it leaves out optional ones that do not fit the Node it
 * runs on. `prove` throws when what was installed cannot be used.
 */
function installLocked({ folder, what, node, prove }) {
  const modules = join(folder, "node_modules");
  const stamp = join(modules, ".frontdesk-installed");
  const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
  const wanted = createHash("sha256")
    .update(lock)
    .update(`${process.platform} ${process.arch}`)
    .digest("hex");
  const drift = lockDrift(folder, JSON.parse(lock));
  if (drift) {
    throw new Problem(
      `${drift}: run "npm install --package-lock-only", then commit package-lock.json with it.`,
    );
  }
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;

  try {
    mkdirSync(modules, { recursive: true });
    accessSync(modules, constants.W_OK);
  } catch {
    throw new Problem(
      `${what} could not be installed because ${folder} cannot be written: make it writable, then run this again.`,
    );
  }
  console.error(`Installing, once: ${what} …`);
  // npm's own note of what is there can be ahead of the files, after an install that was interrupted.
  for (const note of [stamp, join(modules, ".package-lock.json")]) rmSync(note, { force: true });
  const { status, stderr, error } = npm(
    ["install", "--no-save", "--loglevel=error", "--fetch-retries=1"],
    folder,
    node,
  );
  try {
    if (error || status !== 0) throw new Error(stderr);
    prove?.();
  } catch (failure) {
    if (failure instanceof Problem) throw failure;
    throw new Problem(`${what} could not be installed${whyInstallFailed(error, stderr)}`);
  }
  writeFileSync(stamp, wanted);
}

function npm(words, cwd, node) {
  const PATH = `${dirname(node)}${delimiter}${process.env.PATH}`;
  const options = {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, PATH },
  };
  const cli = process.env.npm_execpath;
  return cli?.endsWith("npm-cli.js") && existsSync(cli)
    ? spawnSync(node, [cli, ...words], options)
    : spawnSync("npm", words, { ...options, shell: process.platform === "win32" });
}

function whyInstallFailed(error, stderr = "") {
  if (error?.code === "ENOENT") return " because there is no npm: install npm, then run this again.";
  // Some versions of npm die of a registry that does not answer without ever naming it.
  const network =
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|Exit handler never called/;
  if (network.test(stderr) || stderr === "") {
    return " because the package registry did not answer: check the network, then run this again (once installed, no network is needed).";
  }
  return `; npm says: ${stderr.trim().split("\n").slice(0, 6).join(" ")}`;
}
