/** Something took too long; whether it was done all the same is not known. */
export class TimeLimitError extends Error {
  override name = "TimeLimitError";
}

/** The promise's outcome, or a rejection that names what took too long. What was begun goes on. */
export async function withinTimeLimit<T>(promise: Promise<T>, limitMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeLimitError(`${what} did not end within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([promise, expired]);
  } finally {
    clearTimeout(timer);
  }
}
