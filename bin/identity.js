import { spawnSync } from "node:child_process";
import { existsSync, lchownSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./places.js";
import { Problem } from "./problem.js";
import { services } from "./services.js";

const isRoot = () => process.getuid?.() === 0;

/**
 * As whom each service runs: as whoever started this, or as FRONTDESK_USER where that is root. Like every setting, it
 * may stand in frontdesk.env.
 */
export function identityFor(names, home, node) {
  const user = process.env.FRONTDESK_USER ?? fromFile(join(home, "frontdesk.env"), node).FRONTDESK_USER;
  if (!user) return { user: undefined, of: () => ({}) };
  if (!isRoot())
    throw new Problem(`FRONTDESK_USER=${user} needs root: only root can run a service as another.`);
  const identity = { uid: idOf("-u", user), gid: idOf("-g", user) };
  if (identity.uid === 0)
    throw new Problem(`FRONTDESK_USER=${user} is root itself: name an unprivileged user.`);
  const barred = [join(root, "bin/frontdesk.js"), node].find((file) => !canRead(file, identity));
  if (barred) {
    throw new Problem(
      `FRONTDESK_USER=${user} cannot read ${barred}: put it in a folder that everybody may enter, such as /opt/frontdesk.`,
    );
  }
  mkdirSync(home, { recursive: true, mode: 0o755 });
  for (const name of names.filter(unprivileged)) {
    mkdirSync(join(home, name), { recursive: true, mode: 0o700 });
    handOver(join(home, name), identity);
  }
  return { user, of: (name) => (unprivileged(name) ? identity : {}) };
}

/** Read by the Node that runs the services, as they read it; the launcher's own may be too old to know how. */
function fromFile(file, node) {
  if (!existsSync(file)) return {};
  const program = `process.stdout.write(JSON.stringify(require("node:util").parseEnv(require("node:fs").readFileSync(process.argv[1], "utf8"))))`;
  const { status, stdout } = spawnSync(node, ["-e", program, file], { encoding: "utf8" });
  if (status !== 0) throw new Problem(`The file ${file} cannot be read: make it readable, or remove it.`);
  return JSON.parse(stdout);
}

export function warnAboutRoot(names) {
  const needless = names.filter(unprivileged);
  if (!isRoot() || needless.length === 0) return;
  console.error(
    `Running as root: ${needless.join(", ")} would need no such rights. Set FRONTDESK_USER to an unprivileged user to run as that one.`,
  );
}

/** lease opens privileged ports and gives up root by itself; the demo reads what every service has written. */
const unprivileged = (name) => name in services && !services[name].needsRoot;

function idOf(flag, user) {
  const { status, stdout } = spawnSync("id", [flag, user], { encoding: "utf8" });
  if (status !== 0) throw new Problem(`FRONTDESK_USER=${user}: there is no such user on this machine.`);
  return Number(stdout);
}

function canRead(file, identity) {
  return spawnSync("test", ["-r", file], { cwd: "/", stdio: "ignore", ...identity }).status === 0;
}

/**
 * Hands a folder over, once and from the inside out: as long as its top is root's, the user cannot plant a link
 * in it for root to follow.
 */
export function handOver(path, { uid, gid }) {
  const { uid: owner } = lstatSync(path);
  if (owner !== 0) return;
  if (lstatSync(path).isDirectory())
    for (const name of readdirSync(path)) handOver(join(path, name), { uid, gid });
  lchownSync(path, uid, gid);
}
