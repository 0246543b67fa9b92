import { useEffect, useRef } from "react";
import { connection } from "./connection.ts";

const MAX_RETRY_MS = 10_000;

export interface LiveOptions {
  readonly url: string;
  /** What to do with each kind of event; `data` is parsed. */
  readonly on: Readonly<Record<string, (data: never) => void>>;
  /** After a gap: what happened meanwhile was not told, so ask for all that is shown. */
  readonly onReopen: () => void;
  /** The server refused the line (signed out, link revoked). */
  readonly onRefused?: () => void;
  /** Events stop while this is set, and what is shown stands still. */
  readonly paused?: boolean;
}

/**
 * One line to the server on which changes come as they happen. It reconnects by itself, with growing pauses; the
 * server's `retry` and `Last-Event-ID` are the browser's own business.
 */
export function useLive(options: LiveOptions): void {
  const latest = useRef(options);
  latest.current = options;
  const { url, paused = false } = options;
  const kinds = Object.keys(options.on).join(" ");
  useEffect(() => {
    if (paused) return;
    let source: EventSource | undefined;
    let retry: ReturnType<typeof setTimeout> | undefined;
    let attempts = 0;
    let opened = false;
    const reconnect = () => {
      source?.close();
      connection.lost();
      clearTimeout(retry);
      retry = setTimeout(open, Math.min(MAX_RETRY_MS, 500 * 2 ** attempts++));
    };
    const open = () => {
      source = new EventSource(url);
      source.onopen = () => {
        attempts = 0;
        connection.answered();
        if (opened) latest.current.onReopen();
        opened = true;
      };
      source.onerror = () => {
        // A line that broke is opened again by the browser; one that was refused is closed for good.
        if (source?.readyState !== EventSource.CLOSED) return connection.lost();
        latest.current.onRefused?.();
        reconnect();
      };
      for (const kind of kinds.split(" ")) {
        source.addEventListener(kind, ({ data }) => latest.current.on[kind]?.(JSON.parse(data) as never));
      }
    };
    open();
    return () => {
      clearTimeout(retry);
      source?.close();
    };
  }, [url, kinds, paused]);
}
