import { registerHooks } from "node:module";
import type { Mutant } from "./mutants.ts";
import { loadRules, type Rules } from "./rules.ts";

const RULES = new URL("../../src/ha/", import.meta.url).href;
const ENGINE = new URL("../../", import.meta.url).href;

let planted = 0;

/** Loads a copy of the rules with a mistake planted in it. */
export const plant = (mutant: Mutant): Promise<Rules> => planting(mutant, RULES, loadRules);

/** Loads a copy of the whole engine with a mistake planted in it. */
export const plantInEngines = (mutant: Mutant): Promise<EngineRoom> =>
  planting(mutant, ENGINE, (mark) => import(`./engine-node.ts${mark}`));

export type EngineRoom = Pick<typeof import("./engine-node.ts"), "Engines">;

/** The files stay as they are: what is loaded from below `room` with a mark is a copy that shares nothing with any other. */
async function planting<T>(
  { mistake, edits }: Mutant,
  room: string,
  load: (mark: string) => Promise<T>,
): Promise<T> {
  const mark = `?mutant=${++planted}`;
  const left = new Set(edits);
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const isOfCopy =
        context.parentURL?.endsWith(mark) &&
        resolved.url.startsWith(room) &&
        !resolved.url.includes("/node_modules/");
      return isOfCopy && !resolved.url.includes("?") ? { ...resolved, url: resolved.url + mark } : resolved;
    },
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.endsWith(mark)) return loaded;
      let source = String(loaded.source);
      for (const edit of edits) {
        if (!new URL(url).pathname.endsWith(`/${edit.file}`)) continue;
        if (source.split(edit.find).length !== 2) {
          throw new Error(`${mistake}: ${edit.file} has no such place, or several: ${edit.find}`);
        }
        source = source.replace(edit.find, () => edit.replace);
        left.delete(edit);
      }
      return { ...loaded, source };
    },
  });
  try {
    const loaded = await load(mark);
    if (left.size > 0) throw new Error(`${mistake}: not planted`);
    return loaded;
  } finally {
    hooks.deregister();
  }
}
