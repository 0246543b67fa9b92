import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AvatarStyle } from "../domain/avatar-style.ts";

/** The part of DiceBear's style format that our styles use. */
export interface StyleDefinition {
  readonly meta: { readonly source?: { readonly name?: string } };
  readonly canvas: { readonly width: number; readonly height: number; readonly elements: readonly Element[] };
  readonly components?: Readonly<Record<string, Component | { readonly extends: string }>>;
  readonly colors?: Readonly<
    Record<string, { readonly values: readonly string[]; readonly notEqualTo?: readonly string[] }>
  >;
}

export interface Component {
  readonly probability?: number;
  readonly variants: Readonly<
    Record<string, { readonly weight?: number; readonly elements: readonly Element[] }>
  >;
}

export interface Element {
  readonly type: "element" | "component";
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string | { readonly type: "color"; readonly name: string }>>;
  readonly children?: readonly Element[];
}

export function readStyleDefinition(name: AvatarStyle): StyleDefinition {
  return JSON.parse(
    readFileSync(fileURLToPath(import.meta.resolve(`@dicebear/styles/${name}.json`)), "utf8"),
  );
}
