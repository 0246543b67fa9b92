import type { StreamParts } from "./shared-stream.ts";

/** The stream's parts as a browser has them. */
export const browserStream: StreamParts = {
  open: (url, kinds, { onOpen, onEvent, onError }) => {
    const source = new EventSource(url);
    source.onopen = onOpen;
    source.onerror = () => onError(source.readyState === EventSource.CLOSED);
    for (const kind of kinds) {
      source.addEventListener(kind, ({ data, lastEventId }) =>
        onEvent({ kind, data: JSON.parse(data), id: ORDERLESS.has(kind) ? undefined : placeOf(lastEventId) }),
      );
    }
    return source;
  },
  channel: (name, onMessage) => {
    const channel = new BroadcastChannel(name);
    channel.onmessage = ({ data }) => onMessage(data);
    return { post: (message) => channel.postMessage(message), close: () => channel.close() };
  },
  lead: (name, begin) => ("locks" in navigator ? leadByLock(name, begin) : leadWhileSeen(begin)),
  setTimer: (act, milliseconds) => {
    const timer = setTimeout(act, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** They carry the id of the event before them. */
const ORDERLESS: ReadonlySet<string> = new Set(["hello", "changed", "revised", "revoked"]);

const placeOf = (id: string) => (/^\d+$/.test(id) ? Number(id) : undefined);

/** The lock goes to the next tab when this one is closed, or crashes. */
function leadByLock(name: string, begin: () => () => void): () => void {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const waiting = new AbortController();
  const lead = async () => {
    const stop = begin();
    await ended;
    stop();
  };
  navigator.locks.request(name, { signal: waiting.signal }, lead).catch(() => {
    // Given up before it was this tab's turn.
  });
  return () => {
    waiting.abort();
    end();
  };
}

/** On plain http beyond loopback browsers have no locks. There a tab reads the stream while somebody looks at it. */
function leadWhileSeen(begin: () => () => void): () => void {
  let stop: (() => void) | undefined;
  const look = () => {
    if (document.visibilityState === "visible") stop ??= begin();
    else {
      stop?.();
      stop = undefined;
    }
  };
  look();
  document.addEventListener("visibilitychange", look);
  return () => {
    document.removeEventListener("visibilitychange", look);
    stop?.();
  };
}
