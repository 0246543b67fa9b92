import { gather, putLive, useLive } from "@frontdesk/ui";
import { useEffect, useMemo } from "react";
import { BASE, type Dashboard, type EngineView, type LeaseEvent, questions } from "./api.ts";
import { changed, queryClient } from "./session.ts";

type Status = NonNullable<EngineView["status"]>;
const MAX_EVENTS = 20;
const MAX_RATES = 3_600;

/** Keeps what the page shows as the engine has it. */
export function useLiveEngine(): void {
  const asking = useMemo(
    () => gather(() => void changed({ queryKey: ["lease-pages"] }, { queryKey: ["event-pages"] })),
    [],
  );
  useEffect(() => asking.stop, [asking]);
  useLive({
    url: `${BASE}/stream`,
    on: {
      lease: (event: LeaseEvent) => {
        putLive<Dashboard>(queryClient, questions.dashboard.queryKey, (shown) => ({
          ...shown,
          events: [event, ...shown.events].slice(0, MAX_EVENTS),
        }));
        asking.soon();
      },
      status: putStatus,
    },
    onReopen: () => void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" }),
    onRefused: () => void changed(questions.me),
  });
}

function putStatus(status: Status): void {
  putLive<EngineView>(queryClient, questions.engine.queryKey, (shown) => ({ ...shown, status }));
  putLive<Dashboard>(queryClient, questions.dashboard.queryKey, (shown) => {
    const before = shown.engine.status?.counters ?? {};
    const grown = (...names: string[]) =>
      names.reduce((sum, name) => sum + Math.max(0, (status.counters[name] ?? 0) - (before[name] ?? 0)), 0);
    const rates = {
      at: new Date().toISOString(),
      discover: grown("received_discover"),
      ack: grown("sent_ack"),
      nak: grown("sent_nak"),
      errors: grown("parse_errors", "send_errors", "store_errors"),
    };
    return {
      ...shown,
      engine: { ...shown.engine, status },
      rates: [...shown.rates, rates].slice(-MAX_RATES),
    };
  });
}
