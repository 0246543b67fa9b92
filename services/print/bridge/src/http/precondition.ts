import type { FastifyRequest } from "fastify";

/** Somebody else has written the record meanwhile, or has taken its name. */
export class PreconditionFailed extends Error {
  override name = "PreconditionFailed";
  /** The record as it is now. */
  readonly current: unknown;

  constructor(current: unknown) {
    super(
      current === undefined
        ? "What you changed is no longer there: look at it again."
        : "Somebody else has changed this, or has taken the name: look at it as it is now.",
    );
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
  if (taken || changed) throw new PreconditionFailed(version === undefined ? undefined : current());
}
