import { keepPreviousData, type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { OldAnswer } from "./states.tsx";

/** One page of a list as every service answers it. */
export interface RowPage<Row> {
  readonly items: readonly Row[];
  readonly next_cursor: string | null;
  /** How many there are in all, where the service knows. */
  readonly total?: number;
}

export interface ServerRows<Row> {
  readonly rows: readonly Row[];
  readonly total: number | undefined;
  readonly hasMore: boolean;
  /** The first rows are not there yet. */
  readonly isLoading: boolean;
  /** Rows are shown, but of the question before. */
  readonly isStale: boolean;
  readonly error: unknown;
  /** Rows were there, and could not be read again: why, and from when they are. */
  readonly old?: OldAnswer;
  readonly loadMore: () => void;
  readonly reload: () => void;
}

/**
 * Rows that the server sorts, filters and pages. `key` holds all that they depend on: when a filter changes, the rows
 * before stay until the new ones are there, and an answer to an older question is thrown away.
 */
export function useServerRows<Row>(
  key: QueryKey,
  load: (page: { cursor: string | null; signal: AbortSignal }) => Promise<RowPage<Row>>,
): ServerRows<Row> {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => load({ cursor: pageParam, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  });
  const { data, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage, refetch } = query;
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  return {
    rows,
    total: data?.pages[0]?.total,
    hasMore: hasNextPage,
    isLoading: query.isPending,
    isStale: query.isPlaceholderData,
    error: query.error,
    ...(query.isRefetchError ? { old: query } : {}),
    loadMore: () => {
      // A page that was refused is asked for again by a person, not by the table.
      if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
    },
    reload: () => void refetch(),
  };
}
