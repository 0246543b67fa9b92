import { type InvalidateQueryFilters, MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-client.ts";

/**
 * One cache of what the server said. A refusal is not asked again; an answer that never came is.
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
        retry: (failures, error) => failures < 2 && !(error instanceof ApiError && isRefusal(error.status)),
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

const isRefusal = (status: number) => status >= 400 && status < 500;
