import { useEffect, useRef } from "react";
import { browserTabs } from "./browser-tabs.ts";
import { connection } from "./connection.ts";
import { type LiveHandlers, openLive } from "./live-stream.ts";

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
    };
    const close = openLive(url, kinds.split(" "), handlers, {
      open: (where) => new EventSource(latest.current.address?.(where) ?? where),
      ...browserTabs,
    });
    return () => {
      close();
      line.ended();
    };
  }, [url, kinds, paused]);
}
