import type { FailureLog } from "@frontdesk/kit/sparing-log";
import { withinTimeLimit } from "@frontdesk/kit/time-limit";
import type { Store } from "@frontdesk/store/store";
import { sql } from "kysely";
import pg from "pg";
import type { Tables } from "./tables.ts";

/** Tells other copies on the same database that an organisation has new events. */
export interface WakeUp {
  /** Events were committed. Resolves when the others were told, or could not be. */
  tell(orgId: string): Promise<void>;
}

const CHANNEL = "presence_events";
const LISTEN_AGAIN_MS = 1_000;
const ANSWER_LIMIT_MS = 5_000;
const CLOSE_LIMIT_MS = 1_000;

/**
 * After the commit and not within it, since PostgreSQL lets transactions that notify commit only one
 * at a time; and once for all that is committed meanwhile. Whoever misses a word finds out when it
 * looks by itself.
 */
export function createWakeUp(store: Store<Tables>, copy: string, log: FailureLog): WakeUp {
  if (store.engine === "sqlite") return { tell: async () => {} };
  let telling: Promise<void> | undefined;
  const waiting = new Set<string>();
  const tellWhileAsked = async () => {
    while (waiting.size > 0) {
      const orgs = [...waiting];
      waiting.clear();
      try {
        const payloads = orgs.map((orgId) => `${copy} ${orgId}`);
        await sql`select pg_notify(${CHANNEL}, payload) from unnest(${payloads}::text[]) as payload`.execute(
          store.read,
        );
      } catch (err) {
        log.warn({ err }, "NOTIFY failed; other copies find the events by polling");
      }
    }
    telling = undefined;
  };
  return {
    tell: (orgId) => {
      waiting.add(orgId);
      telling ??= tellWhileAsked();
      return telling;
    },
  };
}

/** Listens for other copies' words on a connection of its own, and again whenever that breaks. */
export function listenForWakeUps(options: {
  readonly databaseUrl: URL;
  readonly copy: string;
  readonly log: FailureLog;
  /** Without an organisation: any of them may have new events. */
  readonly onWakeUp: (orgId?: string) => void;
}): { stop(): Promise<void> } {
  let stopped = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let connecting = connect();

  async function connect(): Promise<void> {
    const mine = new pg.Client({
      connectionString: options.databaseUrl.href,
      keepAlive: true,
      connectionTimeoutMillis: ANSWER_LIMIT_MS,
      query_timeout: ANSWER_LIMIT_MS,
    });
    client = mine;
    mine.on("notification", ({ payload }) => {
      const [copy, orgId] = (payload ?? "").split(" ");
      if (copy !== options.copy) options.onWakeUp(orgId);
    });
    mine.on("error", () => {});
    mine.once("end", () => {
      if (stopped) return;
      timer = setTimeout(() => {
        connecting = connect();
      }, LISTEN_AGAIN_MS);
    });
    try {
      await mine.connect();
      await mine.query(`listen ${CHANNEL}`);
      // What was said while nobody listened.
      options.onWakeUp();
    } catch (err) {
      options.log.warn({ err }, "LISTEN connection lost; polling until it is back");
      await ended(mine);
    }
  }

  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await connecting;
      await ended(client);
    },
  };
}

/** A server that is gone does not say good-bye. */
async function ended(client: pg.Client | undefined): Promise<void> {
  if (client) await withinTimeLimit(client.end(), CLOSE_LIMIT_MS, "closing the connection").catch(() => {});
}
