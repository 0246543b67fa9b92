import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";

const KINDS = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/**
 * What the manifests ask for and the lock file does not know, in words; undefined where they agree.
 * npm would install such a package in whatever version it finds.
 */
export function lockDrift(folder, { packages }) {
  const own = Object.keys(packages).filter((path) => !/(^|\/)node_modules\//.test(path));
  const unlocked = workspacesOf(folder).find((path) => !own.includes(path));
  if (unlocked) return `the workspace ${unlocked} is not in package-lock.json`;
  for (const path of own) {
    const manifest = join(folder, path, "package.json");
    const name = join(path, "package.json");
    if (!existsSync(manifest)) return `package-lock.json lists ${name}, which is not there`;
    const asked = JSON.parse(readFileSync(manifest, "utf8"));
    for (const kind of KINDS) {
      const locked = packages[path][kind] ?? {};
      const differing = Object.entries(asked[kind] ?? {}).find(([key, version]) => locked[key] !== version);
      if (differing) return `${name} asks for ${differing.join(" ")}, which package-lock.json does not have`;
      if (!isDeepStrictEqual(Object.keys(asked[kind] ?? {}).sort(), Object.keys(locked).sort())) {
        return `package-lock.json has more ${kind} than ${name} asks for`;
      }
    }
  }
  return undefined;
}

/** The workspaces' folders; a pattern that ends in a star means every folder with a manifest. */
function workspacesOf(folder) {
  const { workspaces = [] } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return workspaces.flatMap((pattern) => {
    if (!pattern.endsWith("/*")) return [pattern];
    const parent = pattern.slice(0, -2);
    return readdirSync(join(folder, parent))
      .map((name) => `${parent}/${name}`)
      .filter((path) => existsSync(join(folder, path, "package.json")));
  });
}
