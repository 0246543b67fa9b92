import { hasFailed, refetch } from "./late-styles.ts";
import { failure, failureOf, PartGone } from "./part-gone.ts";

/** By address; what could not be fetched is not in it. */
const files = new Map<string, Promise<void>>();

/**
 * The bundler calls this for every part of a console that is fetched late, with the names of its files. They are fetched
 * before the part is imported, which finds them in the browser's cache: of a module that could not be fetched, many
 * browsers know for as long as the document lives that it failed, and never ask for it again (whatwg/html#6768).
 */
export async function fetchPart<T>(load: () => Promise<T>, names: readonly string[] = []): Promise<T> {
  await Promise.all(names.map((name) => fetchOnce(new URL(`/${name}`, document.baseURI).href)));
  return load().catch((error) => {
    // Its files are there: only another document can import it.
    throw new PartGone(String(names[0]), { cause: error });
  });
}

function fetchOnce(href: string): Promise<void> {
  const known = files.get(href);
  if (known) return known;
  const fetching = href.endsWith(".css") ? fetchStyles(href) : fetchScript(href);
  files.set(href, fetching);
  fetching.catch(() => files.delete(href));
  return fetching;
}

/** One that failed stays in the document, and another takes its place. */
async function fetchStyles(href: string): Promise<void> {
  const inPage = document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]");
  const known = Array.from(inPage).find((link) => link.href === href);
  if (known) return hasFailed(known) ? refetch(known) : undefined;
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
  await new Promise<void>((resolve, reject) => {
    link.addEventListener("load", () => resolve(), { once: true });
    link.addEventListener("error", () => void failureOf(href).then(reject), { once: true });
    document.head.append(link);
  });
}

async function fetchScript(href: string): Promise<void> {
  if (Array.from(document.scripts).some(({ src }) => src === href)) return;
  const response = await fetch(href);
  // To its end: what is cut off is not kept.
  await response.arrayBuffer();
  if (!response.ok) throw failure(href, response.status);
}
