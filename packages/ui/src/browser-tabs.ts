import { leadByLock, type Sight } from "./lead-by-lock.ts";
import type { Tabs } from "./tabs.ts";

/** Locks make sure that one tab leads at a time. On plain http beyond loopback browsers have none. */
const hasLocks = (): boolean => "locks" in navigator;

const channel: Tabs["channel"] = (name, onMessage) => {
  // Without locks several tabs lead at once: each hears its own line alone.
  const opened = hasLocks() ? channelOf(name) : undefined;
  if (!opened) return { post: () => {}, close: () => {} };
  opened.onmessage = ({ data }) => onMessage(data);
  return { post: (message) => opened.postMessage(message), close: () => opened.close() };
};

export const browserTabs: Tabs = {
  channel,
  lead: (name, begin) => {
    const leadAlone = () => whileSeen(begin);
    return hasLocks()
      ? leadByLock(name, begin, { locks: navigator.locks, channel, sight, leadAlone })
      : leadAlone();
  },
};

/** Where site data is blocked, browsers refuse channels too: each tab is on its own. */
function channelOf(name: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(name);
  } catch {
    return undefined;
  }
}

const sight: Sight = {
  isSeen: () => document.visibilityState === "visible",
  onChange: (listener) => {
    document.addEventListener("visibilitychange", listener);
    return () => document.removeEventListener("visibilitychange", listener);
  },
};

/** Each tab has a line of its own then, and a browser few connections: those that are looked at have them. */
function whileSeen(start: (isAgain: boolean) => () => void): () => void {
  let stop: (() => void) | undefined;
  // What happened since the page was loaded in the background, nobody was told.
  let isAgain = !sight.isSeen();
  const look = () => {
    if (!sight.isSeen()) {
      stop?.();
      stop = undefined;
    } else if (!stop) {
      stop = start(isAgain);
      isAgain = true;
    }
  };
  look();
  const stopLooking = sight.onChange(look);
  return () => {
    stopLooking();
    stop?.();
  };
}
