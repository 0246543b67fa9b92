import { useCallback } from "react";
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
      navigate(`${pathname}${query}${hash}`, { replace: true });
    },
    [name, fallback, navigate],
  );
  return [value, set];
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
