interface Answered {
  readonly status: number;
  readonly code: string;
}

/** Whether a proxy said no in the service's place: in words of its own, not in ours. */
export function isOfProxy(error: unknown): boolean {
  const { status, code } = (error ?? {}) as Partial<Answered>;
  return typeof status === "number" && status >= 400 && code === `http_${status}`;
}

/**
 * Whether the service itself refused what it was asked, so that asking again is of no use. A proxy may answer for it in
 * words of its own while it is restarted, also with 404.
 */
export function isRefusal(error: unknown): boolean {
  const { status } = (error ?? {}) as Partial<Answered>;
  if (status === undefined || status < 400 || status >= 500) return false;
  return status !== 429 && !isOfProxy(error);
}

const UNFIT = 422;

/** Whether the service refused what a request says, not that it was made at all. */
export const isUnfit = (error: unknown): boolean =>
  ((error ?? {}) as Partial<Answered>).status === UNFIT && !isOfProxy(error);
