/** What a page keeps as text in the browser. */
export interface KeptTexts {
  get(place: string): string | undefined;
  set(place: string, text: string): void;
  remove(place: string): void;
  places(): string[];
}

/**
 * Storage of the browser where it takes what it is given, else the memory of the page: where site data is blocked, already
 * asking for the storage throws, and people without a cookie (share links) see all that others do.
 */
function guarded(name: "localStorage" | "sessionStorage"): KeptTexts {
  const memory = new Map<string, string>();
  const attempt = <T>(act: (storage: Storage) => T): T | undefined => {
    try {
      return act(globalThis[name]);
    } catch {
      // Shut off, or full.
      return undefined;
    }
  };
  return {
    get: (place) => memory.get(place) ?? attempt((storage) => storage.getItem(place)) ?? undefined,
    set: (place, text) => {
      const isKept = attempt((storage) => {
        storage.setItem(place, text);
        return true;
      });
      if (isKept) memory.delete(place);
      else memory.set(place, text);
    },
    remove: (place) => {
      memory.delete(place);
      attempt((storage) => storage.removeItem(place));
    },
    places: () => [...new Set([...memory.keys(), ...(attempt((storage) => Object.keys(storage)) ?? [])])],
  };
}

/** Shared by all tabs of the browser. */
export const browserStorage = guarded("localStorage");
/** The tab's own, which a reload finds again. */
export const tabStorage = guarded("sessionStorage");
