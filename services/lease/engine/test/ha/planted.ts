import { registerHooks } from "node:module";
import { basename } from "node:path";
import type { Mutant } from "./mutants.ts";
import { loadRules, type Rules } from "./rules.ts";

const ROOM = new URL("../../src/ha/", import.meta.url).href;

let planted = 0;

/** Loads a copy of the room `ha` with a mistake planted in it; the files stay as they are. */
export async function plant({ mistake, edits }: Mutant): Promise<Rules> {
  const mark = `?mutant=${++planted}`;
  const left = new Set(edits);
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const isOfCopy = context.parentURL?.endsWith(mark) && resolved.url.startsWith(ROOM);
      return isOfCopy && !resolved.url.includes("?") ? { ...resolved, url: resolved.url + mark } : resolved;
    },
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.endsWith(mark)) return loaded;
      let source = String(loaded.source);
      for (const edit of edits) {
        if (basename(new URL(url).pathname) !== edit.file) continue;
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
    const rules = await loadRules(mark);
    if (left.size > 0) throw new Error(`${mistake}: not planted`);
    return rules;
  } finally {
    hooks.deregister();
  }
}
