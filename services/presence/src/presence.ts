import type { Clock } from "@frontdesk/kit/clock";
import type { HostGuard } from "@frontdesk/kit/host-guard";
import type { HttpServer } from "@frontdesk/kit/http-server";
import { countingIds } from "@frontdesk/kit/ids";
import type { Log } from "@frontdesk/kit/log";
import type { Mailer } from "@frontdesk/kit/mailer";
import type { SecretBox } from "@frontdesk/kit/secret-box";
import type { RatePolicy } from "@frontdesk/kit/sliding-window";
import { sparingLog } from "@frontdesk/kit/sparing-log";
import { openStore } from "@frontdesk/store/open-store";
import type { Store } from "@frontdesk/store/store";
import { createAppReader } from "./adapters/app-reader.ts";
import { createEventFeed, type EventFeed } from "./adapters/event-feed.ts";
import { createExpirySweep } from "./adapters/expiry-sweep.ts";
import { createFirstRuns } from "./adapters/first-runs.ts";
import { createMailRound } from "./adapters/mail.ts";
import { migrations } from "./adapters/migrations.ts";
import { createRateWindows } from "./adapters/rate-windows.ts";
import { createRetention } from "./adapters/retention.ts";
import { createRetryTimesRound } from "./adapters/retry-times.ts";
import { createScheduleSweep } from "./adapters/schedule-sweep.ts";
import { createSealedSecrets } from "./adapters/sealed-secrets.ts";
import { signinStore } from "./adapters/signin-store.ts";
import { createStoreDesk } from "./adapters/store-desk.ts";
import { createStoreLanes } from "./adapters/store-lanes.ts";
import { createStoreReader, type StoreReader } from "./adapters/store-reader.ts";
import type { Tables } from "./adapters/tables.ts";
import { createTokenExpiryRound } from "./adapters/token-expiry-mail.ts";
import { createTokenUsage } from "./adapters/token-usage.ts";
import { createWakeUp, listenForWakeUps } from "./adapters/wake-up.ts";
import { type AddressGuard, refusedUrl } from "./delivery/address-guard.ts";
import { createDispatcher, type Dispatcher } from "./delivery/dispatcher.ts";
import { createGuardedAgent, type GuardedAgentOptions } from "./delivery/guarded-agent.ts";
import { createPoster } from "./delivery/poster.ts";
import { RETRY_MS } from "./delivery/schedule.ts";
import { ulids } from "./domain/ulid.ts";
import type { Desk } from "./domain/unit.ts";
import { createServer } from "./http/server.ts";
import { startRounds, systemTimer, type Timer } from "./rounds.ts";
import { createWebApp, type WebAppOptions } from "./web-app.ts";

const HOUR_MS = 60 * 60_000;

export const RATE_POLICY: RatePolicy = { max: 600, windowMs: 60_000 };

export interface DeliveryTimes {
  readonly schedule: readonly number[];
  /** How long a receiver may take to answer. */
  readonly limitMs: number;
  readonly batchMs: number;
  /** Longer than a batch and an attempt after it. */
  readonly leaseMs: number;
  /** How many webhooks are served at once. */
  readonly maxLanes: number;
}

export const DELIVERY_TIMES: DeliveryTimes = {
  schedule: RETRY_MS,
  limitMs: 15_000,
  batchMs: 2_000,
  leaseMs: 45_000,
  maxLanes: 128,
};

export interface PresenceOptions {
  readonly databaseUrl: URL;
  readonly clock: Clock;
  /** For durations and limits, which a clock that is set back must not stretch. */
  readonly monotonic?: Clock;
  readonly log: Log;
  readonly publicUrl: string;
  readonly avatarUrl: string;
  /** Whether a request's `Host` means this service; without it, every one does. */
  readonly isOurHost?: HostGuard | undefined;
  readonly guard: AddressGuard;
  /** Seals webhooks' signing secrets, with keys that are not in the database. */
  readonly secrets: SecretBox;
  readonly mailer: Mailer;
  readonly random: () => number;
  readonly delivery: DeliveryTimes;
  readonly policy: RatePolicy;
  readonly lookup?: GuardedAgentOptions["lookup"];
  /** What the rounds wait by. */
  readonly timer?: Timer;
  /** Of the web app. Without it, sessions and limits end with the process. */
  readonly webApp?: WebAppOptions;
}

/** The service without a port of its own: what `main.ts` listens on and what tests speak to. */
export interface Presence {
  readonly app: HttpServer;
  readonly desk: Desk;
  readonly reader: StoreReader;
  readonly store: Store<Tables>;
  readonly dispatcher: Dispatcher;
  /** The events of an organisation as they come. */
  readonly feed: EventFeed;
  readonly rounds: Readonly<
    Record<
      "expire" | "schedule" | "tokenExpiry" | "mail" | "forget" | "retryTimes" | "secrets",
      () => Promise<void>
    >
  >;
  /** The secret of a link that makes the first organisation; undefined where there is one that somebody uses. */
  firstRunSecret(): Promise<string | undefined>;
  /** Begins to deliver, expire and forget by itself. Only for whoever has the port: it takes all lanes. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function createPresence(options: PresenceOptions): Promise<Presence> {
  const { clock, log, monotonic = clock } = options;
  /** For what looks several times a second. */
  const failures = sparingLog(log, monotonic);
  const store = await openStore<Tables>({ url: options.databaseUrl, migrations, clock });
  const ids = ulids(clock);
  const agent = createGuardedAgent({
    guard: options.guard,
    ...(options.lookup ? { lookup: options.lookup } : {}),
  });
  const lanes = createStoreLanes(store, ids, options.delivery.leaseMs, options.secrets);
  const dispatcher = createDispatcher({
    store: lanes,
    poster: createPoster({ agent, limitMs: options.delivery.limitMs }),
    clock,
    monotonic,
    ids,
    random: options.random,
    ...options.delivery,
    log: failures,
  });
  const reader = createStoreReader(store);
  const feed = createEventFeed(reader, options.timer);
  let delivering = false;
  const copy = ids.next();
  const wakeUp = createWakeUp(store, copy, failures);
  let telling: Promise<void> | undefined;
  const desk = createStoreDesk({
    store,
    clock,
    ids,
    secrets: options.secrets,
    avatarUrl: options.avatarUrl,
    onEvents: (orgId, silently) => {
      if (delivering) dispatcher.poke();
      feed.wake(orgId);
      if (silently) webApp.hub.wake(orgId);
      telling = wakeUp.tell(orgId);
    },
  });
  const usage = createTokenUsage(store, clock, log);
  const appReader = createAppReader(store, reader);
  const firstRuns = createFirstRuns(store, clock);
  const webApp = await createWebApp({
    ...options,
    monotonic,
    ids,
    desk,
    reader,
    appReader,
    feed,
    firstRuns,
    signinStore: signinStore(store),
    refusedUrl: (url) => refusedUrl(options.guard, url),
  });
  const app = await createServer({
    trustedProxies: options.webApp?.trustedProxies ?? [],
    app: webApp.parts,
    log,
    ids: countingIds(),
    clock,
    publicUrl: options.publicUrl,
    avatarUrl: options.avatarUrl,
    desk,
    reader,
    usage,
    windows: createRateWindows(store, options.policy, { clock, monotonic }),
    policy: options.policy,
    health: () => store.ping().then(store.checkWrite),
    isOurHost: options.isOurHost,
  });
  const sealed = createSealedSecrets({ store, box: options.secrets, clock, ids, log });
  const schedule = createScheduleSweep(store, desk, { clock, monotonic, log: failures });
  const rounds = {
    expire: createExpirySweep(store, desk, { clock, log: failures }, schedule.beginSome),
    schedule: schedule.sweep,
    tokenExpiry: createTokenExpiryRound(store, { clock, ids, appUrl: options.publicUrl }),
    mail: createMailRound(store, options.mailer, { clock, monotonic }, log),
    forget: createRetention(store, clock),
    retryTimes: createRetryTimesRound(store, { clock, monotonic }),
    secrets: sealed.round,
  };
  let running: ReturnType<typeof startRounds> | undefined;
  let listener: ReturnType<typeof listenForWakeUps> | undefined;
  return {
    app,
    desk,
    reader,
    store,
    dispatcher,
    feed,
    rounds,
    firstRunSecret: async () => ((await webApp.parts.isFirstRun()) ? firstRuns.issue() : undefined),
    start: async () => {
      // A file has one copy of the service: whoever held a lane in it is gone.
      if (store.engine === "sqlite") await lanes.releaseAll();
      await sealed.atStart();
      delivering = true;
      running = startRounds(
        [
          { name: "expire", everyMs: 250, work: rounds.expire },
          { name: "schedule", everyMs: 500, work: rounds.schedule },
          { name: "deliver", everyMs: 500, work: dispatcher.poke },
          { name: "mail", everyMs: 5_000, work: rounds.mail },
          { name: "usage", everyMs: 10_000, work: usage.save },
          { name: "retry times", everyMs: 10_000, work: rounds.retryTimes },
          { name: "token expiry", everyMs: HOUR_MS, work: rounds.tokenExpiry },
          // Not at the start: the clock may not have been set yet, and copies not have got their keys.
          { name: "forget", everyMs: HOUR_MS, work: rounds.forget, notAtStart: true },
          { name: "secrets", everyMs: HOUR_MS, work: rounds.secrets, notAtStart: true },
        ],
        failures,
        options.timer ?? systemTimer,
      );
      if (store.engine === "postgres") {
        const { databaseUrl } = options;
        listener = listenForWakeUps({
          databaseUrl,
          copy,
          log: failures,
          onWakeUp: (orgId) => {
            dispatcher.poke();
            feed.wake(orgId);
            if (orgId !== undefined) webApp.hub.wake(orgId);
          },
        });
      }
    },
    close: async () => {
      // First: whoever asks now is sent to another copy, however long a mail server holds what is under way.
      await app.close();
      webApp.hub.close();
      // Together: a slow mail server and a slow receiver must not add up to more than a stop may take.
      await Promise.all([listener?.stop(), running?.stop(), dispatcher.stop()]);
      await agent.destroy();
      await usage.save();
      await telling;
      await webApp.close();
      await store.close();
    },
  };
}
