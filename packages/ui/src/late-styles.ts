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

/** Fetches the stylesheets again that could not be: the bundler asks for each once, and takes it for loaded then. */
export async function refetchStyles(): Promise<void> {
  await Promise.all([...failed].map(refetch));
}

function refetch(link: HTMLLinkElement): Promise<void> {
  failed.delete(link);
  const again = link.cloneNode() as HTMLLinkElement;
  return new Promise((resolve, reject) => {
    again.onload = () => resolve();
    again.onerror = () => reject(new Error(again.href));
    link.replaceWith(again);
  });
}
