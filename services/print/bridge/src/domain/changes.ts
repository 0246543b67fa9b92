import type { Log } from "@frontdesk/kit/log";

const CHECK_MS = 500;

/** Tells whoever listens when the administrator's decisions have changed, here or by another process. */
export function watchChanges(refresh: () => boolean, log: Log) {
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const check = () => {
    try {
      if (refresh()) tell();
    } catch (error) {
      log.error({ err: error }, "configuration cannot be read; trying again");
    }
  };
  check();
  const timer = setInterval(check, CHECK_MS);
  return {
    check,
    tell,
    listen: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => clearInterval(timer),
  };
}
