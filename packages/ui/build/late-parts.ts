import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const HELPER = "\0vite/preload-helper.js";
const OURS = fileURLToPath(new URL("../src/part-files.ts", import.meta.url));

/** Has the files of late parts fetched by `fetchPart`, in the place of the bundler's own function. */
export function lateParts(): Plugin {
  let isInPlace = false;
  return {
    name: "late-parts",
    apply: "build",
    enforce: "pre",
    load: (id) => {
      if (id !== HELPER) return undefined;
      isInPlace = true;
      return `export { fetchPart as __vitePreload } from ${JSON.stringify(OURS)};`;
    },
    buildEnd(error) {
      if (!error && !isInPlace) this.error(`the bundler has no ${JSON.stringify(HELPER)} any more`);
    },
  };
}
