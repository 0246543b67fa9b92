import { refuse } from "../domain/codes.ts";

/** A cursor is where a page ended, made opaque so that nobody builds on its content. */
export const encodeCursor = (place: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(place)).toString("base64url");

export function decodeCursor<const Kinds extends readonly ("string" | "number" | "integer")[]>(
  text: string,
  kinds: Kinds,
): { -readonly [I in keyof Kinds]: Kinds[I] extends "string" ? string : number } {
  let place: unknown;
  try {
    place = JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    throw refuse("bad_cursor");
  }
  const fits =
    Array.isArray(place) &&
    place.length === kinds.length &&
    kinds.every((kind, i) =>
      kind === "integer"
        ? Number.isSafeInteger(place[i])
        : typeof place[i] === kind && !String(place[i]).includes("\0"),
    );
  if (!fits) throw refuse("bad_cursor");
  return place as never;
}
