import { ALIVE, keepLine } from "./kept-line.ts";
import type { Tabs } from "./tabs.ts";

/** `EventSource.CLOSED`, which is not there outside of a browser. */
const CLOSED = 2;

const TOO_MANY_REQUESTS = 429;
/** One refusal may be of a server that is just starting; after this many in a row it is asked why, once. */
const REFUSALS_TO_ASK = 2;

export interface LiveHandlers {
  readonly onEvent: (kind: string, data: unknown) => void;
  readonly onOpen: () => void;
  /** The line is open after a gap. */
  readonly onReopen: () => void;
  /** Nothing was heard since `heardAt`. */
  readonly onLost: (heardAt: number) => void;
  readonly onRefused: () => void;
  /** It is refused since too many have one. */
  readonly onCrowded: () => void;
}

type Message =
  | { readonly type: "event"; readonly kind: string; readonly data: unknown }
  | { readonly type: "lost"; readonly heardAt: number }
  /** `alive`: nothing else happened. */
  | { readonly type: "open" | "reopen" | "refused" | "crowded" | "alive" };

export interface LiveParts extends Tabs {
  readonly open: (url: string) => EventSource;
  /** Asks for a line that was refused, for the status of the answer alone: an EventSource does not tell it. */
  readonly statusOf: (url: string) => Promise<number | undefined>;
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
    else if (message.type !== "refused" && message.type !== "crowded") heardAt = Date.now();
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
      case "crowded":
        return handlers.onCrowded();
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
    let refusals = 0;
    const askWhy = async () => {
      const asked = refusals;
      const status = await parts.statusOf(url);
      if (status === TOO_MANY_REQUESTS && refusals >= asked) tell({ type: "crowded" });
    };
    const end = keepLine(
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
        onOpen: () => {
          refusals = 0;
          tell({ type: hasGap ? "reopen" : "open" });
        },
        onHeard: (at) => {
          heardAt = at;
        },
        onLost: (at) => {
          hasGap = true;
          tell({ type: "lost", heardAt: at });
        },
        onRefused: () => {
          tell({ type: "refused" });
          if (++refusals === REFUSALS_TO_ASK) void askWhy();
        },
      },
      heardAt,
    );
    return () => {
      refusals = Number.NEGATIVE_INFINITY;
      end();
    };
  };
  const resign = parts.lead(name, read);
  return () => {
    resign();
    channel.close();
  };
}
