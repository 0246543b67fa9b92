import { useCallback, useEffect, useRef } from "react";
import { useLocation, useSearch } from "wouter";

/**
 * A part of what a page shows that is held in its address: going back, reloading and passing the address on bring the
 * same view. What is at its default is not in the address.
 */
export function useUrlState(name: string, fallback = ""): [value: string, set: (value: string) => void] {
  const search = useSearch();
  const [, navigate] = useLocation();
  const value = new URLSearchParams(search).get(name) ?? fallback;
  const set = useCallback(
    (next: string) => {
      // Read anew: two parts that are set in one turn must not undo each other.
      const { pathname, search: current, hash } = window.location;
      const all = new URLSearchParams(current);
      if (next === fallback) all.delete(name);
      else all.set(name, next);
      const query = all.size > 0 ? `?${all}` : "";
      navigate(`${pathname}${query}${hash}`, { replace: true, state: window.history.state });
    },
    [name, fallback, navigate],
  );
  return [value, set];
}

/** In the state of a history entry: it was made to show this, and the one before it shows the page without. */
interface Opened {
  readonly opened: string;
}

/**
 * The same for what opens over the page, by name or id; empty: nothing. Back closes it, as people on a phone expect, and
 * closing it by other means goes back, too: it is not opened again by the next Back.
 */
export function useUrlDialog(
  name: string,
): [value: string, open: (value: string) => void, close: () => void] {
  const [value, set] = useUrlState(name);
  const [, navigate] = useLocation();
  const open = useCallback(
    (next: string) => {
      const { pathname, search, hash } = window.location;
      const all = new URLSearchParams(search);
      // In the place of another one: one step back closes it all the same.
      const replace = all.has(name);
      all.set(name, next);
      const state: Opened | null = replace ? window.history.state : { opened: name };
      navigate(`${pathname}?${all}${hash}`, { replace, state });
    },
    [name, navigate],
  );
  // A browser has not gone back when it was told to: to tell it twice would leave the page.
  const isClosing = useRef(false);
  useEffect(() => {
    if (value === "") isClosing.current = false;
  }, [value]);
  const close = useCallback(() => {
    if (isClosing.current) return;
    const state = window.history.state as Partial<Opened> | null;
    if (state?.opened !== name) return set("");
    isClosing.current = true;
    window.history.back();
  }, [name, set]);
  return [value, open, close];
}

export interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

const written = ({ column, descending }: Sort) => `${descending ? "-" : ""}${column}`;

/** The column that rows are sorted by, in the address as `sort=-expires_at`. */
export function useUrlSort(fallback: Sort): [sort: Sort, set: (sort: Sort) => void] {
  const [text, setText] = useUrlState("sort", written(fallback));
  const sort = { column: text.replace(/^-/, ""), descending: text.startsWith("-") };
  return [sort, useCallback((next: Sort) => setText(written(next)), [setText])];
}
