import { OptionsDescriptor } from "@dicebear/core";
import type { AvatarStyle } from "../domain/avatar-style.ts";
import type { StyleCatalogue, StyleOption } from "../domain/design.ts";
import { type StyleBook, styleBooks } from "./styles.ts";

const LABELS: Readonly<Record<string, string>> = {
  translateX: "Move sideways",
  translateY: "Move up or down",
  rotate: "Turn",
  borderRadius: "Round corners",
};

/** How the whole drawing is set; what the styles share, with the bounds within which there is still something to see. */
const SETTING: ReadonlyArray<StyleOption> = [
  choice("flip", ["none", "horizontal", "vertical", "both"], "none"),
  number("rotate", -360, 360, 0),
  number("scale", 0.1, 3, 1),
  number("translateX", -100, 100, 0),
  number("translateY", -100, 100, 0),
  number("borderRadius", 0, 50, 0),
];

/** What can be chosen, from each style's own schema. */
export function createStyleCatalogue(): StyleCatalogue {
  const known = new Map<AvatarStyle, readonly StyleOption[]>();
  return {
    optionsOf: (style) => {
      const options = known.get(style) ?? optionsOf(styleBooks[style]);
      known.set(style, options);
      return options;
    },
  };
}

function optionsOf({ style, defaults }: StyleBook): StyleOption[] {
  const given = defaults as Readonly<Record<string, StyleOption["default"] | undefined>>;
  const own = Object.entries(new OptionsDescriptor(style).toJSON()).flatMap(
    ([name, field]): StyleOption[] => {
      if (name.endsWith("Variant") && field.type === "enum")
        return [{ ...choice(name, field.values, given[name] ?? null), multiple: true }];
      if (name.endsWith("Probability")) {
        const component = style.components().get(name.slice(0, -"Probability".length));
        return [{ ...number(name, 0, 100, component?.probability() ?? 100), kind: "probability" }];
      }
      if (name.endsWith("Color")) {
        const palette = style.colors().get(name.slice(0, -"Color".length))?.values();
        const values = [...(palette ?? (given[name] as readonly string[] | undefined) ?? [])];
        return [{ name, label: label(name), kind: "color", values, multiple: true, default: null }];
      }
      if (name.endsWith("ColorFill") && field.type === "enum") return [choice(name, field.values, "solid")];
      return [];
    },
  );
  return [...own, ...SETTING.map((option) => ({ ...option, default: given[option.name] ?? option.default }))];
}

function choice(name: string, values: readonly string[], preset: StyleOption["default"]): StyleOption {
  return { name, label: label(name), kind: "choice", values: [...values], multiple: false, default: preset };
}

function number(name: string, min: number, max: number, preset: number): StyleOption {
  return { name, label: label(name), kind: "number", min, max, multiple: false, default: preset };
}

/** `facialHairColor` becomes "Facial hair colour", `eyesVariant` becomes "Eyes". */
function label(name: string): string {
  const words = name
    .replace(/Variant$/, "")
    .replace(/Color/, "Colour")
    .replace(/([A-Z])/g, " $1")
    .toLowerCase();
  return LABELS[name] ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
