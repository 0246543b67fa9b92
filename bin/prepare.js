import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { root } from "./places.js";
import { Problem } from "./problem.js";

const OLDEST_NODE = 24;

/** Makes this checkout ready to run, and returns the path of the Node that runs it. */
export function prepare() {
  const node = machineNodeServes() ? process.execPath : pinnedNode();
  installLocked({ folder: root, what: "The dependencies", node });
  return node;
}

const machineNodeServes = () => Number(process.versions.node.split(".")[0]) >= OLDEST_NODE;

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
  const binary = join(folder, "node_modules", name, "bin", platform === "win" ? "node.exe" : "node");
  const what = `Node ${optionalDependencies[name]} (this machine has ${process.versions.node})`;
  installLocked({ folder, what, node: process.execPath, proof: binary });
  return binary;
}

/**
 * Installs what a folder's lock file says, unless exactly that was installed before. npm runs on the
 * Node that will use the packages, because it leaves out optional ones that do not fit the Node it
 * runs on; and it leaves out an optional one that it could not fetch, and calls that success: `proof`
 * is a file that must be there in the end.
 */
function installLocked({ folder, what, node, proof }) {
  const stamp = join(folder, "node_modules", ".frontdesk-installed");
  const wanted = createHash("sha256")
    .update(readFileSync(join(folder, "package-lock.json")))
    .update(`${process.platform} ${process.arch}`)
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted && (!proof || existsSync(proof))) return;

  try {
    mkdirSync(dirname(stamp), { recursive: true });
    accessSync(dirname(stamp), constants.W_OK);
  } catch {
    throw new Problem(
      `${what} could not be installed because ${folder} cannot be written: make it writable, then run this again.`,
    );
  }
  console.error(`Installing, once: ${what} …`);
  const { status, stderr, error } = npm(
    ["install", "--no-save", "--loglevel=error", "--fetch-retries=1"],
    folder,
    node,
  );
  if (error || status !== 0 || (proof && !existsSync(proof))) {
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
