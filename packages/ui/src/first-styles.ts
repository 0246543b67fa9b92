import { MAX_WAIT_MS } from "./server-watch.ts";

/**
 * Puts the stylesheets to use that the page has fetched ahead: see page-head.ts. One that fails is fetched again later, and
 * none is waited for without end.
 */
export async function applyFirstStyles(): Promise<void> {
  const sheets = document.querySelectorAll<HTMLLinkElement>('link[rel="preload"][as="style"]');
  const late = new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS));
  await Promise.race([late, Promise.all(Array.from(sheets, putToUse))]);
}

function putToUse(link: HTMLLinkElement): Promise<void> {
  return new Promise((resolve) => {
    for (const end of ["load", "error"]) link.addEventListener(end, () => resolve(), { once: true });
    link.rel = "stylesheet";
  });
}
