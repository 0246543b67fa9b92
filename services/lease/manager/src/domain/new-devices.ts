import type { LeaseEvent } from "@frontdesk/lease-control-api/schemas";
import type { Engine } from "./engine.ts";

const PAGE = 1000;
/** Grants of today that are looked at after a start. */
const MAX_PAGES = 50;
const MAX_ITEMS = 50;
/** Looked at in a day: a client that makes up hardware addresses must not fill the memory, nor keep the engine busy. */
export const MAX_DEVICES = 20_000;

export interface NewDevice {
  readonly mac: string;
  readonly hostname: string | null;
  readonly ip: string | null;
  readonly at: string;
}

export interface NewDevicesParts {
  readonly engine: Pick<Engine, "events">;
  /** When the day of a moment began, by the clock on the wall. */
  readonly dayOf: (time: number) => number;
  readonly now: () => number;
}

/** Devices that got an address today and never before, as far as the history reaches back. */
export function createNewDevices({ engine, dayOf, now }: NewDevicesParts) {
  let day = 0;
  let seen = new Set<string>();
  let count = 0;
  /** The newest ones. */
  let found: NewDevice[] = [];
  let queue: Promise<void> = Promise.resolve();

  const clear = () => {
    seen = new Set();
    count = 0;
    found = [];
  };

  const turnDay = () => {
    const today = dayOf(now());
    if (today === day) return;
    day = today;
    clear();
  };

  const isToBeLookedAt = ({ mac, at, type }: LeaseEvent) => {
    turnDay();
    const isUnknown = mac !== null && !seen.has(mac) && seen.size < MAX_DEVICES;
    return type === "grant" && isUnknown && Date.parse(at) >= day;
  };

  const look = async (event: LeaseEvent) => {
    const { mac, hostname, ip, at } = event;
    if (!mac || !isToBeLookedAt(event)) return;
    const before = await engine.events({ mac, to: new Date(day - 1).toISOString(), limit: 1 });
    seen.add(mac);
    if (before.items.length > 0) return;
    count++;
    found = [...found, { mac, hostname, ip, at }].slice(-MAX_ITEMS);
  };

  const inTurn = (act: () => Promise<void>) => {
    // An engine that does not answer now is asked again with the next event, or at the next start.
    queue = queue.then(act).catch(() => {});
    return queue;
  };

  return {
    /** What happened today before anybody listened. */
    catchUp: () =>
      inTurn(async () => {
        turnDay();
        let after = await firstOf(engine, day);
        for (let page = 0; page < MAX_PAGES; page++) {
          const { items, next_cursor } = await engine.events({ after, limit: PAGE });
          for (const event of items) await look(event);
          if (next_cursor === null) return;
          after = next_cursor;
        }
      }),

    /** After the history was removed. */
    forget: () => inTurn(async () => clear()),

    /** Throws at once where what is told is no event: nobody waits for what comes of it. */
    hear: (event: LeaseEvent): Promise<void> =>
      isToBeLookedAt(event) ? inTurn(() => look(event)) : Promise.resolve(),

    get today(): { readonly count: number; readonly items: readonly NewDevice[] } {
      turnDay();
      return { count, items: found.toReversed() };
    },
  };
}

export type NewDevices = ReturnType<typeof createNewDevices>;

/** The number of the last event before a moment. */
async function firstOf(engine: Pick<Engine, "events">, time: number): Promise<number> {
  const { items } = await engine.events({ to: new Date(time - 1).toISOString(), limit: 1 });
  return items[0]?.id ?? 0;
}
