import { useEffect, useRef } from "react";
import { browserTabs } from "./browser-tabs.ts";
import { connection } from "./connection.ts";
import { type LiveHandlers, openLive } from "./live-stream.ts";
import { MAX_ANSWER_MS } from "./server-watch.ts";

export interface LiveOptions {
  readonly url: string;
  /** The address with what the session adds to it, which may be another at each opening. */
  readonly address?: (url: string) => string;
  /** What to do with each kind of event; `data` is parsed. */
  readonly on: Readonly<Record<string, (data: never) => void>>;
  /** After a gap: what happened meanwhile was not told, so ask for all that is shown. */
  readonly onReopen: () => void;
  /** The server refused the line (signed out, link revoked). */
  readonly onRefused?: () => void;
  /** Events stop while this is set, and what is shown stands still. */
  readonly paused?: boolean;
}

/** Changes come as they happen, on one line to the server for all tabs of the browser. */
export function useLive(options: LiveOptions): void {
  const latest = useRef(options);
  latest.current = options;
  const { url, paused = false } = options;
  const kinds = Object.keys(options.on).join(" ");
  useEffect(() => {
    if (paused) return;
    const line = connection.line();
    const handlers: LiveHandlers = {
      onEvent: (kind, data) => latest.current.on[kind]?.(data as never),
      onOpen: line.opened,
      onReopen: () => latest.current.onReopen(),
      onLost: line.lost,
      onRefused: () => latest.current.onRefused?.(),
      onCrowded: line.crowded,
    };
    const addressOf = (where: string) => latest.current.address?.(where) ?? where;
    const close = openLive(url, kinds.split(" "), handlers, {
      open: (where) => new EventSource(addressOf(where)),
      statusOf: (where) => statusOf(addressOf(where)),
      ...browserTabs,
    });
    return () => {
      close();
      line.ended();
    };
  }, [url, kinds, paused]);
}

async function statusOf(url: string): Promise<number | undefined> {
  const asking = new AbortController();
  const timer = setTimeout(() => asking.abort(), MAX_ANSWER_MS);
  try {
    const { status } = await fetch(url, { headers: { accept: "text/event-stream" }, signal: asking.signal });
    return status;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    // A line that is given after all is not read here.
    asking.abort();
  }
}
