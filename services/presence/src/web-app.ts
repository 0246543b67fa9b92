import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "@frontdesk/kit/clock";
import type { Ids } from "@frontdesk/kit/ids";
import type { Log } from "@frontdesk/kit/log";
import type { Mailer } from "@frontdesk/kit/mailer";
import { createSlidingWindows } from "@frontdesk/kit/sliding-window";
import { createDevices } from "@frontdesk/signin/devices";
import { giveTurnsBack, type SigninLimited, takeTurn, takeTurns } from "@frontdesk/signin/limits";
import { createOneTimeCodes } from "@frontdesk/signin/one-time-codes";
import { refuse as refuseSignIn } from "@frontdesk/signin/refusals";
import { createSecondFactor } from "@frontdesk/signin/second-factor";
import type { SessionKeys } from "@frontdesk/signin/session-keys";
import { createSessions } from "@frontdesk/signin/sessions";
import { createSignIn, type SignIn, type SigninStore } from "@frontdesk/signin/sign-in";
import { sourceNetwork } from "@frontdesk/signin/source-network";
import { memoryLimitStore, openLimitStore } from "@frontdesk/store/limit-store";
import { createDailyLimits, createHourlyLimits } from "@frontdesk/store/timed-limits";
import { fetchFace } from "./adapters/avatar-faces.ts";
import type { EventFeed } from "./adapters/event-feed.ts";
import type { StoreReader } from "./adapters/store-reader.ts";
import type { AppReadModel } from "./domain/app-read-model.ts";
import type { FirstRuns } from "./domain/first-run.ts";
import { createSharedIds } from "./domain/shared-ids.ts";
import type { Desk } from "./domain/unit.ts";
import { SESSION_COOKIE } from "./http/app-api.ts";
import { acceptInvitations } from "./http/app-me-routes.ts";
import type { AppParts } from "./http/app-parts.ts";
import { createStreams } from "./http/app-streams.ts";
import { createLiveHub } from "./http/live-hub.ts";

/** What an installation says about the web app. */
export interface WebAppOptions {
  readonly sessionKeys: SessionKeys;
  /** Where limits are counted that are not in the database. */
  readonly home: string;
  readonly mail: "smtp" | "outbox";
  readonly trustedProxies: readonly string[];
  /** Where the built pages are. */
  readonly folder: string;
}

interface Parts {
  readonly webApp?: WebAppOptions;
  readonly databaseUrl: URL;
  readonly clock: Clock;
  readonly monotonic: Clock;
  readonly log: Log;
  readonly ids: Ids;
  readonly publicUrl: string;
  readonly avatarUrl: string;
  readonly mailer: Mailer;
  readonly desk: Desk;
  readonly reader: StoreReader;
  readonly appReader: AppReadModel;
  readonly feed: EventFeed;
  readonly firstRuns: FirstRuns;
  readonly signinStore: SigninStore;
  readonly refusedUrl: (url: string) => string | undefined;
}

/** How often an hour each may be done, as the other services have it. */
const MAX_PER_HOUR = {
  mail_per_inbox: 5,
  mail_per_inbox_in_all: 20,
  mail_per_sender: 20,
  mail_per_network: 200,
  guesses: 30,
  guesses_per_network: 300,
  factor_tries: 20,
  factor_begins: 20,
  /** To one inbox, by one organisation. */
  invitations: 5,
  /** By one member. */
  projects: 100,
  share_visits: 1,
  /** Whoever pretends to be many visitors, or is. */
  share_visits_per_host: 30,
  share_visits_per_link: 1_000,
} satisfies Readonly<Record<SigninLimited, number>> & Readonly<Record<string, number>>;
/** How often a day each may be done. */
export const MAX_PER_DAY = {
  /** By one organisation, to whomever: withdrawn ones count, since they may have been mailed. */
  invitations_in_all: 500,
} as const;
/** As many changes as an integration has requests. */
export const WRITES_PER_SESSION = { max: 600, windowMs: 60_000 };
/** Calendar programs ask a few times an hour. */
const CALENDARS = { max: 30, windowMs: 60_000 };
const LOOK_EVERY_MS = 1_000;
const NO_ONE = "0".repeat(26);

/** The web app's session API but for its routes: signing in, streams, and what else stands behind it. */
export async function createWebApp(parts: Parts) {
  const { clock, monotonic, log, publicUrl, appReader, desk, reader } = parts;
  const keys = parts.webApp?.sessionKeys ?? passingKeys();
  const limitStore = parts.webApp
    ? await openLimitStore(parts.databaseUrl, parts.webApp.home, { clock, monotonic, log })
    : await memoryLimitStore(clock, log);
  const limits = createHourlyLimits(limitStore, "presence", MAX_PER_HOUR);
  const dailyLimits = createDailyLimits(limitStore, "presence", MAX_PER_DAY);
  const cookie = { name: SESSION_COOKIE, domain: undefined, secure: publicUrl.startsWith("https:") };
  const signIn = createSignIn({
    store: parts.signinStore,
    codes: createOneTimeCodes({ keys, clock }),
    factor: createSecondFactor({ keys, clock, issuer: new URL(publicUrl).hostname }),
    sessions: createSessions({ keys, clock, cookie }),
    devices: createDevices({ keys, clock, session: cookie }),
    limits,
    mail: parts.mailer,
    publicUrl,
    log,
  });
  const joining: SignIn = {
    ...signIn,
    verify: async (email, given, source) => {
      const cookies = await signIn.verify(email, given, source);
      // Who is signed in stays so: the app asks for it once more.
      await acceptInvitations(parts, email, clock.now()).catch((err) =>
        log.warn({ err }, "an invitation could not be accepted while signing in"),
      );
      return cookies;
    },
  };
  const hub = createLiveHub({
    feed: parts.feed,
    reader,
    revision: appReader.revision,
    everySecond: (work) => {
      const timer = setInterval(work, LOOK_EVERY_MS);
      return () => clearInterval(timer);
    },
    clock,
    log,
  });
  const writes = createSlidingWindows(WRITES_PER_SESSION, monotonic);
  const calendars = createSlidingWindows(CALENDARS, monotonic);
  const count = (windows: typeof writes, of: string, units: number) => {
    const { allowed, waitMs } = windows.consume(of, units);
    if (!allowed) throw refuseSignIn("rate_limited", Math.max(1, Math.ceil(waitMs / 1_000)));
  };
  const sharedIds = createSharedIds(keys[0].secret);
  /** Organisations do not go away. */
  let inUse = false;
  const appParts: AppParts = {
    desk,
    reader,
    appReader,
    signIn: joining,
    isSessionLive: async (id) => {
      const session = await parts.signinStore.read.sessions.find(id);
      return session !== undefined && session.expires_at > clock.now();
    },
    firstRuns: parts.firstRuns,
    isFirstRun: async () => {
      inUse ||= !(await parts.firstRuns.isUnused());
      return !inUse;
    },
    streams: createStreams(hub, log),
    sharedIds,
    isNewVisit: async (linkId, { address, userAgent }) => {
      // The visitor last: whoever invents many leaves no more than so many rows.
      const turns = [
        ["share_visits_per_host", `${linkId} ${sourceNetwork(address).host}`],
        ["share_visits_per_link", linkId],
        ["share_visits", JSON.stringify([linkId, address, userAgent])],
      ] as const;
      for (const [index, [what, key]] of turns.entries()) {
        if ((await limits.consume(what, key)) === undefined) continue;
        await giveTurnsBack(limits, turns.slice(0, index));
        return false;
      }
      return true;
    },
    countInvitations: async (orgId, emails) => {
      const turns = emails.map((email) => ["invitations", `${orgId} ${email}`] as const);
      const turnsInAll = emails.map(() => ["invitations_in_all", orgId] as const);
      const giveBackInAll = () => giveTurnsBack(dailyLimits, turnsInAll);
      await takeTurns(dailyLimits, turnsInAll);
      try {
        await takeTurns(limits, turns);
      } catch (error) {
        await giveBackInAll();
        throw error;
      }
      return {
        giveBack: async () => {
          await giveTurnsBack(limits, turns);
          await giveBackInAll();
        },
      };
    },
    countProject: (memberId) => takeTurn(limits, "projects", memberId),
    countWrites: (sessionId, units) => count(writes, sessionId, units),
    countCalendar: (hash) => count(calendars, hash, 1),
    face: fetchFace,
    refusedUrl: parts.refusedUrl,
    clock,
    ids: parts.ids,
    publicUrl,
    avatarUrl: parts.avatarUrl,
    mail: parts.webApp?.mail ?? "outbox",
    // Under another key the same people have other names on share links: open pages load themselves anew.
    version: `${pagesVersion(parts.webApp?.folder)}.${sharedIds.hide("pages", NO_ONE).slice(0, 8)}`,
    pages: parts.webApp?.folder,
  };
  return { parts: appParts, hub, close: () => limitStore.close() };
}

/** Which build the pages are of, as their document says itself: open pages compare that with their own. */
function pagesVersion(folder: string | undefined): string {
  const page = folder && join(folder, "index.html");
  if (!page || !existsSync(page)) return "none";
  return /<meta name="pages-version" content="([\w-]+)"/.exec(readFileSync(page, "utf8"))?.[1] ?? "none";
}

/** Keys that end with the process. */
const passingKeys = (): SessionKeys => [{ id: "passing", secret: randomBytes(32).toString("base64url") }];
