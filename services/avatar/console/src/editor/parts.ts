import type { Style, StyleOption } from "../shapes.ts";
import { t } from "../words/editor.ts";

/** One thing to decide about a face, with all options that belong to it. */
export interface Part {
  readonly key: string;
  readonly title: string;
  /** Which of the drawings, shown as pictures. */
  readonly choice?: StyleOption | undefined;
  /** Whether there is one at all. */
  readonly presence?: StyleOption | undefined;
  readonly others: readonly StyleOption[];
}

const GRADIENT = /Color(Fill|FillStops|Angle|Order)$/;

/** The options of a style, sorted as a person thinks of a face: its parts, its colours, how it sits. */
export function partsOf(style: Style): Part[] {
  const byName = new Map(style.options.map((option) => [option.name, option]));
  const variants = style.options.filter(({ name }) => name.endsWith("Variant"));
  const used = new Set<StyleOption>();
  const parts = variants.map((choice): Part => {
    const base = choice.name.slice(0, -"Variant".length);
    const presence = byName.get(`${base}Probability`);
    used.add(choice);
    if (presence) used.add(presence);
    return { key: base, title: choice.label, choice, presence, others: [] };
  });
  const rest = style.options.filter((option) => !used.has(option));
  const colors = rest.filter(({ kind }) => kind === "color");
  const gradients = rest.filter(({ name }) => GRADIENT.test(name));
  const setting = rest.filter((option) => !colors.includes(option) && !gradients.includes(option));
  return [
    ...parts,
    ...room("colours", t.colours, colors),
    ...room("setting", t.positionAndShape, setting),
    ...room("gradients", t.gradients, gradients),
  ];
}

const room = (key: string, title: string, others: readonly StyleOption[]): Part[] =>
  others.length ? [{ key, title, others }] : [];

/** Drawings whose own names tell nobody anything. */
const DRAWINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  initialsVariant: { alt: t.strongLetters, default: t.softLetters },
  lettersVariant: { single: t.oneLetter, double: t.twoLetters },
};

/** Drawings that are seen only on another one. */
export const SEEN_ON: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  clothesGraphicVariant: { clothesVariant: "graphicShirt" },
};

/** What one of an option's drawings is called. */
export function drawingInWords({ name }: StyleOption, value: string): string {
  const row =
    /^[xo]{5}$/.test(value) && [...value].flatMap((cell, at) => (cell === "x" ? [String(at + 1)] : []));
  if (row) return t.squares(row);
  return DRAWINGS[name]?.[value] ?? inWords(value);
}

/** `longHairBob` as "Long hair bob", `variant03` as "03". */
export function inWords(value: string): string {
  const words = value
    .replace(/^variant(?=\d)/, "")
    .replace(/([a-z\d])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
    .replace(/([a-z])(\d)/g, "$1 $2")
    .replace(/[-_]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
