import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
} from "@mantine/core";

const pine: MantineColorsTuple = [
  "#edf7f3",
  "#d8ebe3",
  "#b4d9cb",
  "#8cc6b1",
  "#6bb69b",
  "#4ba386",
  "#2f8a6d",
  "#1f7159",
  "#185a47",
  "#0f4335",
];

const clay: MantineColorsTuple = [
  "#fdf2ec",
  "#f8e0d4",
  "#f0c3ac",
  "#e7a382",
  "#df895f",
  "#d2744a",
  "#b85d36",
  "#994a29",
  "#7a3b21",
  "#5d2d19",
];

const red: MantineColorsTuple = [
  "#fdf1ef",
  "#f9ddd9",
  "#f2bab3",
  "#ea998f",
  "#e78277",
  "#d65a4d",
  "#c4392c",
  "#a92c20",
  "#86231a",
  "#661b14",
];

/** Warm greys: paper and ink rather than steel. */
const gray: MantineColorsTuple = [
  "#f8f7f4",
  "#f1efea",
  "#e7e4dd",
  "#dad6cd",
  "#c3beb3",
  "#9d988d",
  "#68645c",
  "#4d4a44",
  "#33312d",
  "#201e1b",
];

/** From text to the deepest ground: Mantine reads 0 as text, 2 as dimmed, 4 as border, 6 as card, 7 as page. */
const dark: MantineColorsTuple = [
  "#e5e9e6",
  "#c8cfca",
  "#a0aaa4",
  "#6b756f",
  "#3b433f",
  "#2b322e",
  "#212624",
  "#181c1a",
  "#121514",
  "#0c0f0e",
];

/** No blur: where no graphics card helps, each frame of the page beneath a dialog would take tenths of a second. */
const DIMMED = { backgroundOpacity: 0.45, blur: 0 };

export const theme = createTheme({
  colors: { pine, clay, red, gray, dark },
  primaryColor: "pine",
  // In the dark a light button with dark words; in the light the other way round.
  primaryShade: { light: 7, dark: 4 },
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    return input.variant === "filled" ? { ...colors, color: "var(--fd-on-filled)" } : colors;
  },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  fontFamily: '"Inter Variable", system-ui, -apple-system, "Segoe UI", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, monospace',
  headings: {
    fontWeight: "620",
    sizes: {
      h1: { fontSize: "1.75rem", lineHeight: "1.2" },
      h2: { fontSize: "1.125rem", lineHeight: "1.35" },
      h3: { fontSize: "1rem", lineHeight: "1.4" },
    },
  },
  components: {
    Modal: {
      defaultProps: {
        centered: true,
        radius: "lg",
        overlayProps: DIMMED,
        styles: { title: { fontWeight: 620 } },
        // The head of a dialog is no second head of the page.
        attributes: { header: { role: "presentation" } },
      },
    },
    Spotlight: { defaultProps: { overlayProps: DIMMED } },
    Badge: { defaultProps: { radius: "sm", variant: "light", tt: "none", fw: 550 } },
    Paper: { defaultProps: { radius: "lg" } },
  },
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-body": "#faf9f6",
    "--mantine-color-text": "#201e1b",
    "--mantine-color-placeholder": "#68645c",
    "--mantine-color-error": "#a92c20",
    "--mantine-color-anchor": "#1f7159",
    "--fd-card": "#ffffff",
    "--fd-on-filled": "#ffffff",
    "--fd-line": "#e7e4dd",
    "--fd-side": "#f3f1ec",
    "--fd-checker": "#efede8",
    "--fd-heat": "#8cc6b1",
    "--fd-code-keyword": "#185a47",
    "--fd-code-string": "#7a3b21",
    "--fd-code-number": "#1d4ed8",
    "--fd-code-name": "#201e1b",
  },
  dark: {
    "--mantine-color-placeholder": "#a0aaa4",
    "--mantine-color-disabled": "#2b322e",
    "--mantine-color-disabled-color": "#8a948e",
    "--mantine-color-pine-light": "#1f3a31",
    "--mantine-color-pine-light-color": "#b4d9cb",
    "--mantine-color-clay-light": "#43291d",
    "--mantine-color-clay-light-color": "#f0c3ac",
    "--mantine-color-red-light": "#44231f",
    "--mantine-color-red-light-color": "#f2bab3",
    "--mantine-color-pine-outline": "#8cc6b1",
    "--mantine-color-red-outline": "#f2a79d",
    "--mantine-color-gray-light": "#323a36",
    "--mantine-color-gray-light-color": "#c8cfca",
    "--mantine-color-error": "#ff9d94",
    "--mantine-color-anchor": "#8cc6b1",
    "--fd-card": "#1f2422",
    "--fd-on-filled": "#0c0f0e",
    "--fd-line": "#323a36",
    "--fd-side": "#141817",
    "--fd-checker": "#262c29",
    "--fd-heat": "#185a47",
    "--fd-code-keyword": "#8cc6b1",
    "--fd-code-string": "#f0c3ac",
    "--fd-code-number": "#9db8ff",
    "--fd-code-name": "#e5e9e6",
  },
});
