import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api-client.ts";

/**
 * One cache of what the server said. A refusal is not asked again; an answer that never came is.
 * `networkMode: always`, because a front desk on the local network answers also when the machine
 * has no way to the internet.
 */
export function createQueryClient(onError: (error: unknown) => void = () => {}): QueryClient {
  return new QueryClient({
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

const isRefusal = (status: number) => status >= 400 && status < 500;
