/** What the stream tells a tab. */
export interface StreamEvent {
  readonly kind: string;
  readonly data: unknown;
  /** Its place in the order of the organisation's events; undefined: it has none. */
  readonly id: number | undefined;
}

export type LineState = "open" | "lost";

type Message =
  | { readonly type: "event"; readonly event: StreamEvent }
  | { readonly type: "state"; readonly state: LineState }
  | { readonly type: "refused" }
  /** A tab that has just come, and the last event that it knows of. */
  | { readonly type: "join" }
  /** How far the stream was read. */
  | { readonly type: "position"; readonly at: number };

/** What the stream needs of a browser. */
export interface Line {
  close(): void;
}
export interface LineHandlers {
  readonly onOpen: () => void;
  readonly onEvent: (event: StreamEvent) => void;
  /** `closed`: it does not come back by itself. */
  readonly onError: (closed: boolean) => void;
}
export interface StreamParts {
  readonly open: (url: string, kinds: readonly string[], handlers: LineHandlers) => Line;
  /** Tabs of one browser hear each other here. */
  readonly channel: (
    name: string,
    onMessage: (message: unknown) => void,
  ) => { post(message: unknown): void; close(): void };
  /** Calls `lead` when this tab is the one that reads the stream, and until what it answers with is called, no other is. */
  readonly lead: (name: string, begin: () => () => void) => () => void;
  readonly setTimer: (act: () => void, milliseconds: number) => () => void;
}

export interface StreamOptions {
  /** Tabs that use the same name share one stream. */
  readonly name: string;
  readonly url: (after: number) => string;
  readonly kinds: readonly string[];
  /** The last event that is in what the tab shows. */
  readonly after: number;
  readonly onEvent: (event: StreamEvent) => void;
  readonly onState: (state: LineState) => void;
  /** The server refused the stream: signed out, or the link was revoked. */
  readonly onRefused: () => void;
  /** Events passed that this tab was not told of: what is shown has to be asked for anew. */
  readonly onMissed: () => void;
}

const MAX_RETRY_MS = 10_000;

/**
 * One stream for all tabs of a browser: one tab reads it and tells the others. When that tab goes, another one goes on
 * where the last event was. No event is told twice to a tab.
 */
export function openSharedStream(options: StreamOptions, parts: StreamParts): () => void {
  let position = options.after;
  let state: LineState = "open";
  let isLeader = false;

  /** What the stream said first, with the newest revision that it has told since. */
  let greeting: StreamEvent | undefined;

  const take = (event: StreamEvent) => {
    if (event.id !== undefined) {
      // After a reset it goes on from there, also where that is further back: a backup was brought back.
      if (event.id <= position && event.kind !== "reset") return;
      position = event.id;
    }
    options.onEvent(event);
  };
  const remember = ({ kind, data, id }: StreamEvent) => {
    const told = data as { readonly revision?: string };
    if (kind === "hello") greeting = { kind, data, id };
    else if (greeting && told.revision !== undefined)
      greeting = { ...greeting, data: { ...(greeting.data as object), revision: told.revision } };
  };
  const setState = (next: LineState) => {
    state = next;
    options.onState(next);
  };
  const channel = parts.channel(options.name, (received) => {
    const message = received as Message;
    switch (message.type) {
      case "event":
        return take(message.event);
      case "state":
        return setState(message.state);
      case "refused":
        return options.onRefused();
      case "join":
        if (!isLeader) return;
        channel.post({ type: "position", at: position } satisfies Message);
        // Its board may be of an older revision than the others were told.
        if (greeting) channel.post({ type: "event", event: greeting } satisfies Message);
        return channel.post({ type: "state", state } satisfies Message);
      case "position":
        if (message.at <= position) return;
        position = message.at;
        return options.onMissed();
    }
  });
  const tell = (message: Message) => channel.post(message);

  const lead = () => {
    let line: Line | undefined;
    let stopTimer = () => {};
    let failures = 0;
    const open = () => {
      line = parts.open(options.url(position), options.kinds, {
        onOpen: () => {
          failures = 0;
          setState("open");
          tell({ type: "state", state: "open" });
        },
        onEvent: (event) => {
          remember(event);
          take(event);
          tell({ type: "event", event });
        },
        onError: (closed) => {
          setState("lost");
          tell({ type: "state", state: "lost" });
          if (!closed) return;
          line?.close();
          options.onRefused();
          tell({ type: "refused" });
          stopTimer = parts.setTimer(open, Math.min(MAX_RETRY_MS, 500 * 2 ** failures++));
        },
      });
    };
    isLeader = true;
    tell({ type: "position", at: position });
    open();
    return () => {
      isLeader = false;
      stopTimer();
      line?.close();
    };
  };
  const resign = parts.lead(options.name, lead);
  tell({ type: "join" });
  return () => {
    resign();
    channel.close();
  };
}
