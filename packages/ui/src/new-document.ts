import { isGuarded } from "./leave-guard.ts";
import { MAX_ANSWER_MS, RETRY_MS } from "./server-watch.ts";

/** Copies of a service that are upgraded one after the other would have a document load itself again and again. */
const MIN_AGE_MS = 10_000;

export const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Which build of the console this document is of; undefined where it was not built, but is being developed. */
export const pagesVersion = (): string | undefined =>
  document.querySelector<HTMLMetaElement>('meta[name="pages-version"]')?.content;

/**
 * Whether loading the document anew would bring a page of ours, also one that says that an address leads nowhere: a
 * proxy's error page has no script that comes back from it.
 */
export async function isPageThere(): Promise<boolean> {
  const reply = await fetch(window.location.pathname, {
    cache: "no-store",
    headers: { accept: "text/html" },
    signal: AbortSignal.timeout(MAX_ANSWER_MS),
  }).catch(() => undefined);
  const page = await reply?.text().catch(() => undefined);
  return page?.includes('<div id="root">') === true;
}

/** Loads the document anew as soon as there is one. */
export async function loadAnew(): Promise<void> {
  while (!(await isPageThere())) await pause(RETRY_MS);
  window.location.reload();
}

/** Whether a document that is loaded anew would take something from somebody. */
export const isInUse = (): boolean =>
  isGuarded() || document.querySelector('form, dialog, [role="dialog"]') !== null;

export const untilOldEnough = () => pause(Math.max(0, MIN_AGE_MS - performance.now()));
