import { connection } from "./connection.ts";
import { refetchStyles } from "./late-styles.ts";
import { isInUse, isPageThere, pause, untilOldEnough } from "./new-document.ts";
import { PartGone } from "./part-gone.ts";
import { RETRY_MS } from "./server-watch.ts";

/**
 * The part, or what is in its place where its files are gone: `instead` where it is given; otherwise the document is
 * loaded anew, and while somebody is at work in it, it is the `notice` that says so.
 */
export async function partOr<T>(load: () => Promise<T>, instead: T | undefined, notice: T): Promise<T> {
  try {
    return await patiently(load);
  } catch (error) {
    if (!(error instanceof PartGone)) throw error;
    if (instead !== undefined) return instead;
  }
  await untilOldEnough();
  for (;;) {
    const isThere = await isPageThere();
    if (isInUse()) return notice;
    if (isThere) {
      window.location.reload();
      return new Promise(() => {});
    }
    await pause(RETRY_MS);
  }
}

/** Waits for the server where it is away. Fails with `PartGone` where the server has other pages, and would give them. */
export async function patiently<T>(load: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      await refetchStyles();
      return await load();
    } catch (error) {
      if (error instanceof PartGone) {
        if (await isPageThere()) throw error;
      } else {
        connection.lost();
        await connection.untilAnswered();
        if (failures === 0) continue;
      }
      await pause(RETRY_MS);
    }
  }
}
