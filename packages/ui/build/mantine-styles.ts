import type { Plugin } from "vite";

const MANTINE = "/@mantine/core/esm/";
/** The module of a Mantine part that names its classes: every module that draws the part imports it. */
const CLASSES = /\/([A-Za-z]+)\.module\.mjs$/;

/**
 * Lets the styles of each Mantine part come with the part, as our own do: a page has those of the parts it shows. A part
 * imports what it builds on before its own class names, so its styles come after those of what it builds on.
 */
export function mantineStyles(): Plugin {
  let parts = 0;
  let styled = 0;
  return {
    name: "mantine-styles",
    apply: "build",
    enforce: "pre",
    transform: (code, id) => {
      if (!id.includes(MANTINE)) return undefined;
      parts++;
      const part = CLASSES.exec(id)?.[1];
      if (!part) return undefined;
      styled++;
      return { code: `import "@mantine/core/styles/${part}.layer.css";\n${code}`, map: null };
    },
    buildEnd(error) {
      if (!error && parts > 0 && styled === 0)
        this.error("Mantine's parts have no class names where they were");
    },
  };
}
