import { failureOf, PartGone } from "./part-gone.ts";

const failed = new Set<HTMLLinkElement>();

if (typeof document !== "undefined") {
  // Errors of elements do not bubble, but they can be caught on the way down.
  document.addEventListener(
    "error",
    ({ target }) => {
      if (target instanceof HTMLLinkElement && target.rel === "stylesheet") failed.add(target);
    },
    { capture: true },
  );
}

export const hasFailed = (link: HTMLLinkElement): boolean => failed.has(link);

/** Fetches the stylesheets again that could not be: those of the first page, too. What is gone is left alone. */
export async function refetchStyles(): Promise<void> {
  await Promise.all(
    [...failed].map((link) =>
      refetch(link).catch((error) => {
        if (!(error instanceof PartGone)) throw error;
      }),
    ),
  );
}

export function refetch(link: HTMLLinkElement): Promise<void> {
  failed.delete(link);
  const again = link.cloneNode() as HTMLLinkElement;
  return new Promise((resolve, reject) => {
    again.onload = () => resolve();
    again.onerror = () => void failureOf(again.href).then(reject);
    link.replaceWith(again);
  });
}
