const MAX_RETRY_MS = 10_000;
/** The server gives a sign of life every 15 seconds: after two that did not come, nobody is there. */
export const MAX_SILENT_MS = 40_000;
/** A line that is begun after nobody has listened for a while is open by then, or what is shown counts as old. */
export const MAX_OPENING_MS = 3_000;
/** The event by which the server says that it is still there. */
export const ALIVE = "alive";

export interface Line {
  close(): void;
}

/** What a line says about itself. */
export interface LineNews {
  readonly onOpen: () => void;
  /** Something came. */
  readonly onHeard: () => void;
  /** `closed`: it does not come back by itself. */
  readonly onError: (closed: boolean) => void;
}

export interface KeptLineHandlers {
  readonly onOpen: () => void;
  /** The server gave a sign of life. */
  readonly onHeard: (at: number) => void;
  readonly onLost: (heardAt: number) => void;
  readonly onRefused: () => void;
}

/**
 * A line that is opened anew whenever it is refused, with growing pauses, and whenever nothing came for a while: where the
 * server hangs, or what is between has forgotten the connection, it would stay open and silent for ever. `since`: when
 * something was heard last, on whichever line.
 */
export function keepLine(
  open: (news: LineNews) => Line,
  handlers: KeptLineHandlers,
  since: number,
): () => void {
  let line: Line | undefined;
  let heardAt = since;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const next = (act: () => void, milliseconds: number) => {
    clearTimeout(timer);
    timer = setTimeout(act, milliseconds);
  };
  const watch = () => next(onSilence, MAX_SILENT_MS);
  const onSilence = () => {
    line?.close();
    lose();
    begin();
  };
  const lose = () => handlers.onLost(heardAt);
  const hasGap = Date.now() - since > MAX_OPENING_MS;
  const opening = hasGap ? setTimeout(lose, MAX_OPENING_MS) : undefined;
  const heard = () => {
    heardAt = Date.now();
    handlers.onHeard(heardAt);
    watch();
  };
  const begin = () => {
    watch();
    line = open({
      onOpen: () => {
        failures = 0;
        clearTimeout(opening);
        heard();
        handlers.onOpen();
      },
      onHeard: heard,
      onError: (closed) => {
        lose();
        if (!closed) return watch();
        line?.close();
        handlers.onRefused();
        next(begin, Math.min(MAX_RETRY_MS, 500 * 2 ** failures++));
      },
    });
  };
  begin();
  return () => {
    clearTimeout(opening);
    clearTimeout(timer);
    line?.close();
  };
}
