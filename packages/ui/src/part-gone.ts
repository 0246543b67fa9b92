/** A part of a console that this document cannot have any more: a newer release has others in its place. */
export class PartGone extends Error {}

export const failure = (href: string, status: number): Error =>
  status === 404 || status === 410 ? new PartGone(href) : new Error(href);

/** Why a stylesheet failed: its element does not tell. */
export async function failureOf(href: string): Promise<Error> {
  const response = await fetch(href).catch(() => undefined);
  return failure(href, response?.status ?? 0);
}
