import { isOfProxy } from "./refusal.ts";

interface Asked {
  readonly data: unknown;
  readonly error: unknown;
}

/**
 * Whether the server is away, as far as the question tells who is signed in. Behind a proxy a service that is stopped is
 * answered for, and one that hangs answers nothing: `isUnanswered`.
 */
export function isServerAway({ data, error }: Asked, isUnanswered: boolean): boolean {
  if (data !== undefined) return false;
  const { status } = (error ?? {}) as { status?: unknown };
  if (typeof status !== "number") return isUnanswered;
  return status < 400 || status >= 500 || isOfProxy(error);
}
