import { type AvatarStyle, DEFAULT_STYLE, isAvatarStyle } from "./avatar-style.ts";
import { DEFAULT_SIZE, MAX_SIZE, MIN_SIZE } from "./picture.ts";
import { type AllowsHost, redirectTarget } from "./redirect-target.ts";

/** What to show when nothing is saved. */
export type Fallback =
  | { readonly kind: "style"; readonly style: AvatarStyle }
  | { readonly kind: "blank" }
  | { readonly kind: "nothing" }
  | { readonly kind: "redirect"; readonly to: string };

export interface ReadRequest {
  readonly size: number;
  readonly fallback: Fallback;
  /** Show the fallback even if an avatar is saved. */
  readonly forced: boolean;
  readonly format: "png" | "svg";
  /** The version that the caller named, or whatever else the caller's cache goes by. */
  readonly version: string | undefined;
}

/** A query as it arrived: repeated parameters come as lists. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Reads a query in which nothing is ever wrong: whatever cannot be understood is its default,
 * because a page that shows a face must not break over a parameter.
 */
export function parseReadRequest(query: Query, allows: AllowsHost): ReadRequest {
  return {
    size: parseSize(first(query, "s", "size")),
    fallback: parseFallback(first(query, "d", "default"), allows),
    forced: first(query, "f", "forcedefault") === "y",
    format: first(query, "fmt") === "svg" ? "svg" : "png",
    version: first(query, "v"),
  };
}

/** The first value of the first of the names that is there: ours before the alias of other services. */
function first(query: Query, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = Object.hasOwn(query, name) ? query[name] : undefined;
    if (value !== undefined) return typeof value === "string" ? value : value[0];
  }
  return undefined;
}

function parseSize(text: string | undefined): number {
  if (text === undefined || !/^-?\d+$/.test(text)) return DEFAULT_SIZE;
  return Math.min(MAX_SIZE, Math.max(MIN_SIZE, Number(text)));
}

function parseFallback(text: string | undefined, allows: AllowsHost): Fallback {
  if (text === "404") return { kind: "nothing" };
  if (text === "blank") return { kind: "blank" };
  if (text !== undefined && isAvatarStyle(text)) return { kind: "style", style: text };
  const to = text === undefined ? undefined : redirectTarget(text, allows);
  return to === undefined ? { kind: "style", style: DEFAULT_STYLE } : { kind: "redirect", to };
}
