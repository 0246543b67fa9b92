import { type AvatarStyle, DEFAULT_STYLE, isAvatarStyle } from "./avatar-style.ts";
import { refuse } from "./errors.ts";

/** What a person chose: everything that the drawing depends on. */
export interface Design {
  readonly style: AvatarStyle;
  readonly seed: string;
  readonly options: DesignOptions;
}

export type OptionValue = string | number | boolean | ReadonlyArray<string | number>;
export type DesignOptions = Readonly<Record<string, OptionValue>>;

/** One thing about a style that can be chosen. */
export interface StyleOption {
  readonly name: string;
  readonly label: string;
  readonly kind: "choice" | "color" | "probability" | "number" | "boolean";
  /** All that may be chosen; of a colour, what the style itself would choose from. */
  readonly values?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** Several values may be given, and the seed chooses among them. */
  readonly multiple: boolean;
  /** What holds when nothing is given; null leaves it to the seed. */
  readonly default: OptionValue | null;
}

/** What can be chosen in each style. */
export interface StyleCatalogue {
  optionsOf(style: AvatarStyle): readonly StyleOption[];
}

const MAX_SEED_LENGTH = 256;
const MAX_VALUES = 128;
const COLOR = /^#?(?:[0-9a-f]{3}|[0-9a-f]{4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;

/** The design that a request asks for, or the reason why there is none. */
export function parseDesign(
  catalogue: StyleCatalogue,
  given: { collection?: unknown; seed?: unknown; options?: unknown },
  defaultSeed: string,
): Design {
  const style = given.collection ?? DEFAULT_STYLE;
  if (typeof style !== "string" || !isAvatarStyle(style)) throw refuse("bad_collection");
  const seed = given.seed ?? defaultSeed;
  if (typeof seed !== "string" || seed.length > MAX_SEED_LENGTH) throw refuse("bad_seed");
  return { style, seed, options: parseOptions(catalogue.optionsOf(style), given.options ?? {}) };
}

/** Exactly the options that the style knows, each with a value that it takes. */
export function parseOptions(known: readonly StyleOption[], given: unknown): DesignOptions {
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw refuse("bad_options");
  const byName = new Map(known.map((option) => [option.name, option]));
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const option = byName.get(name);
      if (!option || !takes(option, value)) throw refuse("bad_options");
      return [name, value as OptionValue];
    }),
  );
}

function takes(option: StyleOption, value: unknown): boolean {
  if (Array.isArray(value)) {
    const few = value.length > 0 && value.length <= MAX_VALUES;
    return option.multiple && few && value.every((each) => takesOne(option, each));
  }
  return takesOne(option, value);
}

function takesOne({ kind, values = [], min = 0, max = 0 }: StyleOption, value: unknown): boolean {
  switch (kind) {
    case "choice":
      return typeof value === "string" && values.includes(value);
    case "color":
      return typeof value === "string" && COLOR.test(value);
    case "boolean":
      return typeof value === "boolean";
    case "probability":
    case "number":
      return typeof value === "number" && Number.isFinite(value) && value >= min && value <= max;
  }
}
