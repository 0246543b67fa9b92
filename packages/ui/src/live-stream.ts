import { ALIVE, keepLine } from "./kept-line.ts";
import type { Tabs } from "./tabs.ts";

/** `EventSource.CLOSED`, which is not there outside of a browser. */
const CLOSED = 2;

export interface LiveHandlers {
  readonly onEvent: (kind: string, data: unknown) => void;
  readonly onOpen: () => void;
  /** The line is open after a gap. */
  readonly onReopen: () => void;
  /** Nothing was heard since `heardAt`. */
  readonly onLost: (heardAt: number) => void;
  readonly onRefused: () => void;
}

type Message =
  | { readonly type: "event"; readonly kind: string; readonly data: unknown }
  | { readonly type: "lost"; readonly heardAt: number }
  /** `alive`: nothing else happened. */
  | { readonly type: "open" | "reopen" | "refused" | "alive" };

export interface LiveParts extends Tabs {
  readonly open: (url: string) => EventSource;
}

/**
 * One line to the server for all tabs of a browser: over HTTP/1.1 a browser has six connections to a server, and a line
 * for each tab would leave the seventh tab none. One tab reads and tells the others; when it goes, another one reads.
 * A line that broke is opened again by the browser, one that was refused or is silent by us.
 */
export function openLive(
  url: string,
  kinds: readonly string[],
  handlers: LiveHandlers,
  parts: LiveParts,
): () => void {
  /** When something was heard last, by whichever tab: it outlives the lines, between which nobody may have listened. */
  let heardAt = Date.now();
  const hear = (message: Message) => {
    if (message.type === "lost") heardAt = message.heardAt;
    else if (message.type !== "refused") heardAt = Date.now();
    switch (message.type) {
      case "event":
        return handlers.onEvent(message.kind, message.data);
      case "open":
        return handlers.onOpen();
      case "reopen":
        handlers.onOpen();
        return handlers.onReopen();
      case "lost":
        return handlers.onLost(message.heardAt);
      case "refused":
        return handlers.onRefused();
    }
  };
  // Not by the whole address: it may hold a secret of the session's.
  const name = `live ${url.split("?")[0]}`;
  const channel = parts.channel(name, (message) => hear(message as Message));
  const tell = (message: Message) => {
    hear(message);
    channel.post(message);
  };

  const read = (isSuccessor: boolean) => {
    let hasGap = isSuccessor;
    return keepLine(
      ({ onOpen, onHeard, onError }) => {
        const source = parts.open(url);
        source.onopen = onOpen;
        source.onerror = () => onError(source.readyState === CLOSED);
        source.addEventListener(ALIVE, () => {
          onHeard();
          tell({ type: "alive" });
        });
        for (const kind of kinds) {
          source.addEventListener(kind, ({ data }) => {
            onHeard();
            tell({ type: "event", kind, data: JSON.parse(data) });
          });
        }
        return source;
      },
      {
        onOpen: () => tell({ type: hasGap ? "reopen" : "open" }),
        onHeard: (at) => {
          heardAt = at;
        },
        onLost: (at) => {
          hasGap = true;
          tell({ type: "lost", heardAt: at });
        },
        onRefused: () => tell({ type: "refused" }),
      },
      heardAt,
    );
  };
  const resign = parts.lead(name, read);
  return () => {
    resign();
    channel.close();
  };
}
