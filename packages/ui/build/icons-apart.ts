import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

const ICONS = "@radix-ui/react-icons";
const ONE_ICON = /^(.+react-icons\.esm\.js)\?\w+$/;
const IMPORT = new RegExp(`import \\{([^}]+)\\} from "${ICONS}";`, "g");

/**
 * Makes each icon a module of its own. The package has them all in one, and a module is never divided: the icons of
 * every page would come with the first.
 */
export function iconsApart(): Plugin {
  return {
    name: "icons-apart",
    apply: "build",
    enforce: "pre",
    transform: (code) =>
      code.includes(ICONS)
        ? code.replace(IMPORT, (_, names: string) =>
            names
              .split(",")
              .map((name) => name.trim())
              .filter(Boolean)
              .map((name) => `import { ${name} } from "${ICONS}?${name}";`)
              .join(" "),
          )
        : undefined,
    resolveId(id, importer) {
      const [name, icon] = id.split("?");
      if (name !== ICONS || !icon) return undefined;
      return this.resolve(ICONS, importer).then((found) => found && `${found.id}?${icon}`);
    },
    load: (id) => {
      const file = ONE_ICON.exec(id)?.[1];
      // Nobody debugs an icon: its map would hold the whole package once more.
      return file ? { code: readFileSync(file, "utf8"), map: { mappings: "" } } : undefined;
    },
  };
}
