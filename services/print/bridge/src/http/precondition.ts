import type { FastifyRequest } from "fastify";
import { Type } from "typebox";

export const SeenVersion = Type.Object({
  "if-match": Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'The version that the writer has seen: `"3"`. Where another is stored: 412.',
    }),
  ),
  "if-none-match": Type.Optional(
    Type.String({ maxLength: 100, description: "`*`: only where there is nothing of that name yet." }),
  ),
});

const WHY = {
  gone: "What you changed is no longer there: look at it again.",
  taken: "The name is taken: look at what has it.",
  changed: "This was changed elsewhere meanwhile: look at it as it is now.",
};

/** Somebody else has written the record meanwhile, or has taken its name. */
export class PreconditionFailed extends Error {
  override name = "PreconditionFailed";
  /** The record as it is now. */
  readonly current: unknown;

  constructor(current: unknown, why: keyof typeof WHY) {
    super(WHY[why]);
    this.current = current;
  }
}

/**
 * Lets a write pass only over the version that its writer has seen (`If-Match: "3"`), or only where nothing is
 * yet (`If-None-Match: *`). Without either, the last one to write wins.
 */
export function assertPrecondition(
  { headers }: FastifyRequest,
  version: number | undefined,
  current: () => unknown,
): void {
  const seen = headers["if-match"];
  const taken = headers["if-none-match"] === "*" && version !== undefined;
  const changed = seen !== undefined && seen !== `"${version}"` && !(seen === "*" && version !== undefined);
  if (!taken && !changed) return;
  if (version === undefined) throw new PreconditionFailed(undefined, "gone");
  throw new PreconditionFailed(current(), taken ? "taken" : "changed");
}
