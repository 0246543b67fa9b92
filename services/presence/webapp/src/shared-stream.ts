import { ALIVE, keepLine, type Line, type LineNews } from "@frontdesk/ui/kept-line";
import type { Tabs } from "@frontdesk/ui/tabs";

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
  | { readonly type: "state"; readonly state: LineState; readonly heardAt?: number | undefined }
  | { readonly type: "refused" }
  /** The server is there, and nothing else happened. */
  | { readonly type: "alive" }
  /** A tab that has just come, and the last event that it knows of. */
  | { readonly type: "join" }
  /** How far the stream was read. */
  | { readonly type: "position"; readonly at: number };

/** What the stream needs of a browser. */
export interface LineHandlers extends Pick<LineNews, "onOpen" | "onError"> {
  readonly onEvent: (event: StreamEvent) => void;
}
export interface StreamParts extends Tabs {
  readonly open: (url: string, kinds: readonly string[], handlers: LineHandlers) => Line;
}

export interface StreamOptions {
  /** Tabs that use the same name share one stream. */
  readonly name: string;
  readonly url: (after: number) => string;
  readonly kinds: readonly string[];
  /** The last event that is in what the tab shows. */
  readonly after: number;
  readonly onEvent: (event: StreamEvent) => void;
  /** The server gave a sign of life: what is shown is right. */
  readonly onHeard?: () => void;
  /** `heardAt`: where the line is lost, nothing was heard since. */
  readonly onState: (state: LineState, heardAt: number | undefined) => void;
  /** The server refused the stream: signed out, or the link was revoked. */
  readonly onRefused: () => void;
  /** Events passed that this tab was not told of: what is shown has to be asked for anew. */
  readonly onMissed: () => void;
}

/**
 * One stream for all tabs of a browser: one tab reads it and tells the others. When that tab goes, another one goes on
 * where the last event was. No event is told twice to a tab.
 */
export function openSharedStream(options: StreamOptions, parts: StreamParts): () => void {
  let position = options.after;
  let state: LineState = "open";
  let lostAt: number | undefined;
  /** When something was heard last, by whichever tab: it outlives the lines, between which nobody may have listened. */
  let heardAt = Date.now();
  let isLeader = false;

  /** What the stream said first, with the newest revision that it has told since. */
  let greeting: StreamEvent | undefined;

  const hear = (at: number) => {
    heardAt = at;
    options.onHeard?.();
  };
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
  const setState = (next: LineState, heard?: number) => {
    state = next;
    lostAt = heard;
    heardAt = heard ?? Date.now();
    options.onState(next, heard);
  };
  const channel = parts.channel(options.name, (received) => {
    const message = received as Message;
    switch (message.type) {
      case "event":
        hear(Date.now());
        return take(message.event);
      case "alive":
        return hear(Date.now());
      case "state":
        return setState(message.state, message.heardAt);
      case "refused":
        return options.onRefused();
      case "join":
        if (!isLeader) return;
        channel.post({ type: "position", at: position } satisfies Message);
        // Its board may be of an older revision than the others were told.
        if (greeting) channel.post({ type: "event", event: greeting } satisfies Message);
        return channel.post({ type: "state", state, heardAt: lostAt } satisfies Message);
      case "position":
        if (message.at <= position) return;
        position = message.at;
        return options.onMissed();
    }
  });
  const tell = (message: Message) => channel.post(message);

  const setStateOfAll = (next: LineState, heard?: number) => {
    setState(next, heard);
    tell({ type: "state", state: next, heardAt: heard });
  };
  const lead = () => {
    isLeader = true;
    tell({ type: "position", at: position });
    const close = keepLine(
      ({ onOpen, onHeard, onError }) =>
        parts.open(options.url(position), [...options.kinds, ALIVE], {
          onOpen,
          onError,
          onEvent: (event) => {
            onHeard();
            if (event.kind === ALIVE) return tell({ type: "alive" });
            remember(event);
            take(event);
            tell({ type: "event", event });
          },
        }),
      {
        onOpen: () => setStateOfAll("open"),
        onHeard: hear,
        onLost: (heard) => setStateOfAll("lost", heard),
        onRefused: () => {
          options.onRefused();
          tell({ type: "refused" });
        },
      },
      heardAt,
    );
    return () => {
      isLeader = false;
      close();
    };
  };
  const resign = parts.lead(options.name, lead);
  tell({ type: "join" });
  return () => {
    resign();
    channel.close();
  };
}
