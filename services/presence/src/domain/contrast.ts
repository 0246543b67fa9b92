/** What text of a status stands on: the darkest of the light surfaces of the pages and the lightest of the dark ones. */
const LIGHT = "#f3f1ec";
const DARK = "#2b322e";
/** WCAG 2.2, 1.4.3. */
const MIN_CONTRAST = 4.5;
const STEPS = 50;

/** The same hue, dark enough to be read on the light pages and light enough for the dark ones. */
export const readableColors = (color: string): { light: string; dark: string } => ({
  light: towards(color, "#000000", LIGHT),
  dark: towards(color, "#ffffff", DARK),
});

/** WCAG 2.2: the ratio of the luminances of two colours, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Mixes as little of the end into the colour as it takes. */
function towards(color: string, end: string, background: string): string {
  for (let step = 0; step < STEPS; step++) {
    const mixed = mix(color, end, step / STEPS);
    if (contrast(mixed, background) >= MIN_CONTRAST) return mixed;
  }
  return end;
}

const channels = (color: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

function mix(color: string, end: string, share: number): string {
  const to = channels(end);
  const mixed = channels(color).map((value, i) => Math.round(value + ((to[i] ?? 0) - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
