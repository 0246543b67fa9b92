import type { Log } from "@frontdesk/kit/log";

const CHECK_MS = 500;

/** Tells whoever listens when the administrator's decisions have changed, here or by another process. */
export function watchChanges(refresh: () => boolean, log: Log) {
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const hear of listeners) hear();
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
    listen: (hear: () => void) => {
      listeners.add(hear);
      return () => listeners.delete(hear);
    },
    close: () => clearInterval(timer),
  };
}
