import { askAnew, gather, putLive, useLive } from "@frontdesk/ui";
import { useEffect, useMemo } from "react";
import { BASE, type Dashboard, type EngineView, type LeaseEvent, questions } from "./api.ts";
import { placeInLists } from "./event-lists.ts";
import { changed, queryClient } from "./session.ts";

type Status = NonNullable<EngineView["status"]>;
const MAX_EVENTS = 20;
const NEW_DEVICES_MS = 2_000;
const MAX_RATES = 3_600;

/** Keeps what the page shows as the engine has it. */
export function useLiveEngine(): void {
  const asking = useMemo(askForLeases, []);
  useEffect(() => asking.stop, [asking]);
  useLive({
    url: `${BASE}/stream`,
    on: {
      lease: (event: LeaseEvent) => {
        putEvent(event);
        asking.soon();
      },
      status: putStatus,
    },
    onReopen: () => void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" }),
    onRefused: () => void changed(questions.me),
  });
}

/** Asks for the leases that are shown, once for many events. */
const askForLeases = () =>
  gather(() => askAnew(queryClient, { queryKey: ["lease-pages"] }, { queryKey: ["lease"] }));

/** Whether a device is new, the manager knows: asked for once for many that come together. */
const lookForNewDevices = gather(() => askAnew(queryClient, questions.dashboard), NEW_DEVICES_MS);

function putEvent(event: LeaseEvent): void {
  putLive<Dashboard>(queryClient, questions.dashboard.queryKey, (shown) =>
    shown.events.some(({ id }) => id === event.id)
      ? shown
      : { ...shown, events: [event, ...shown.events].slice(0, MAX_EVENTS) },
  );
  if (event.type === "grant") lookForNewDevices.soon();
  placeInLists(event);
}

function putStatus(status: Status): void {
  putLive<EngineView>(queryClient, questions.engine.queryKey, (shown) => {
    // It speaks, so it runs: how the process is doing, only the manager knows.
    if (shown.process.state !== "running") askAnew(queryClient, questions.engine);
    return { ...shown, status };
  });
  putLive<Dashboard>(queryClient, questions.dashboard.queryKey, (shown) => {
    const before = shown.engine.status;
    const engine = { ...shown.engine, status };
    // Its counters begin at nothing when it starts.
    if (before?.started_at !== status.started_at) return { ...shown, engine };
    const grown = (...names: string[]) =>
      names.reduce(
        (sum, name) => sum + Math.max(0, (status.counters[name] ?? 0) - (before.counters[name] ?? 0)),
        0,
      );
    const rates = {
      // By the engine's clock, as all others of the chart are.
      at: new Date(Date.parse(status.started_at) + status.uptime_seconds * 1000).toISOString(),
      discover: grown("received_discover"),
      ack: grown("sent_ack"),
      nak: grown("sent_nak"),
      errors: grown(
        "parse_errors",
        "send_errors",
        "store_errors",
        "drop_store",
        "drop_fault",
        "drop_overload",
      ),
    };
    return { ...shown, engine, rates: [...shown.rates, rates].slice(-MAX_RATES) };
  });
}
