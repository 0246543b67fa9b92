import { tabStorage } from "@frontdesk/ui/storage";

/** After this at first, then twice as long each time; every screen up to as long again later than the others. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 5 * 60_000;

/** What is before the dot names the pages; behind it is what names people on share links. */
export const pagesOf = (version: string): string => version.split(".", 1)[0] ?? version;

export interface ReloadParts {
  /** Which pages the server would answer a reload with; undefined: none at the moment. */
  readonly offered: () => Promise<string | undefined>;
  /** Whether those are others than the page's own. */
  readonly isAnother: (pages: string) => boolean;
  readonly reload: () => void;
  /** Whether all is well without other pages; asked where the server offers the same. */
  readonly isWell: () => Promise<boolean>;
  /** How often it was tried, over reloads too: copies that differ would have every screen load itself again and again. */
  readonly tries: { get(): number; set(tries: number): void };
  readonly random: () => number;
}

/**
 * Loads a page anew that nobody sits in front of, once there is another one: while a service is upgraded, a reload may
 * meet a proxy's error page, from which no screen comes back.
 */
export function reloadWhenReady(parts: ReloadParts): () => void {
  const { tries } = parts;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const attempt = async () => {
    const pages = await parts.offered().catch(() => undefined);
    if (isOver) return;
    if (pages !== undefined && parts.isAnother(pages)) return parts.reload();
    const isWell = pages !== undefined && (await parts.isWell().catch(() => false));
    if (isOver) return;
    if (isWell) tries.set(0);
    else wait();
  };
  const wait = () => {
    const before = tries.get();
    tries.set(before + 1);
    const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** before);
    timer = setTimeout(() => void attempt(), pause * (1 + parts.random()));
  };
  wait();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

const PLACE = "presence-reloads";

/** The parts as a browser has them, but for what is well. */
export const browserReload = (loaded: string): Omit<ReloadParts, "isWell"> => ({
  offered: async () => {
    const reply = await fetch(window.location.pathname, {
      cache: "no-store",
      headers: { accept: "text/html" },
    });
    return reply.ok ? (reply.headers.get("x-pages-version") ?? undefined) : undefined;
  },
  isAnother: (pages) => pages !== loaded,
  reload: () => window.location.reload(),
  tries: reloadTries,
  random: Math.random,
});

export const reloadTries: ReloadParts["tries"] = {
  get: () => Number(tabStorage.get(PLACE) ?? 0),
  set: (tries) => (tries === 0 ? tabStorage.remove(PLACE) : tabStorage.set(PLACE, String(tries))),
};
