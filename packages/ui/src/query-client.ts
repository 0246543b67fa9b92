import { type InvalidateQueryFilters, MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-client.ts";

const MAX_RETRIES = 2;
/** A page that is to come later than this says so, and does not only seem to load. */
const MAX_WAIT_SECONDS = 10;

/**
 * One cache of what the server said. A refusal is not asked again, unless it says when; an answer that never came is.
 * `networkMode: always`, because a front desk on the local network answers also when the machine
 * has no way to the internet.
 */
export function createQueryClient(onError: (error: unknown) => void = () => {}): QueryClient {
  return new FrontdeskQueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        networkMode: "always",
        staleTime: 15_000,
        retry: (failures, error) => failures < MAX_RETRIES && !isRefusal(error),
        retryDelay: (failures, error) => waitOf(error) ?? 1_000 * 2 ** failures,
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
}

/**
 * TanStack Query keeps a first answer that is on its way when its query is invalidated: what has changed since
 * that answer was made would never be shown. Here it is asked for anew.
 */
class FrontdeskQueryClient extends QueryClient {
  override async invalidateQueries(filters: InvalidateQueryFilters = {}): Promise<void> {
    const { predicate = () => true } = filters;
    await this.cancelQueries({
      ...filters,
      fetchStatus: "fetching",
      predicate: (query) => query.state.data === undefined && predicate(query),
    });
    await super.invalidateQueries(filters);
  }
}

/** How long the server wants to be left alone (429, 503), where a page can wait for that by itself. */
function waitOf(error: unknown): number | undefined {
  const seconds = error instanceof ApiError ? error.retryAfterSeconds : undefined;
  return seconds !== undefined && seconds <= MAX_WAIT_SECONDS ? seconds * 1_000 : undefined;
}

const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && waitOf(error) === undefined;
