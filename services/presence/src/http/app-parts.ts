import type { Clock } from "@frontdesk/kit/clock";
import type { HttpServer } from "@frontdesk/kit/http-server";
import type { Ids } from "@frontdesk/kit/ids";
import type { SignIn } from "@frontdesk/signin/sign-in";
import type { AppReadModel } from "../domain/app-read-model.ts";
import type { FirstRuns } from "../domain/first-run.ts";
import type { ReadModel } from "../domain/read-model.ts";
import type { SharedIds } from "../domain/shared-ids.ts";
import type { Desk } from "../domain/unit.ts";
import type { Streams } from "./app-streams.ts";

/** What the routes of the web app's session API call. */
export interface AppParts {
  readonly desk: Desk;
  readonly reader: Pick<ReadModel, "eventRange" | "todo">;
  readonly appReader: AppReadModel;
  readonly signIn: SignIn;
  /** Whether a session that a stream was opened with is still good. */
  readonly isSessionLive: (sessionId: string) => Promise<boolean>;
  readonly firstRuns: FirstRuns;
  /** Whether there is no organisation that somebody uses. */
  readonly isFirstRun: () => Promise<boolean>;
  readonly streams: Streams;
  readonly sharedIds: SharedIds;
  /** Whether a visitor has not opened a share link in this hour. */
  readonly isNewVisit: (
    linkId: string,
    visitor: { readonly address: string; readonly userAgent: string },
  ) => Promise<boolean>;
  /** Refuses what would be too many invitations to one inbox. */
  readonly countInvitations: (
    orgId: string,
    emails: readonly string[],
  ) => Promise<{ giveBack(): Promise<void> }>;
  /** Refuses what would be too many projects of one member in an hour. */
  readonly countProject: (memberId: string) => Promise<void>;
  /** Counts changes of a session, and refuses too many of them in a minute. */
  readonly countWrites: (sessionId: string, units: number) => void;
  /** Refuses what would be too many readings of one calendar in a minute. */
  readonly countCalendar: (hash: string) => void;
  /** A member's face from the avatar service; undefined where that does not answer. */
  readonly face: (
    avatarUrl: string,
  ) => Promise<{ readonly type: string; readonly bytes: Uint8Array } | undefined>;
  /** Why nothing could be sent to a URL, as far as that is known before. */
  readonly refusedUrl: (url: string) => string | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly publicUrl: string;
  readonly avatarUrl: string;
  readonly mail: "smtp" | "outbox";
  /** Of the built pages. */
  readonly version: string;
  /** The folder that they are in; without it, none are served. */
  readonly pages: string | undefined;
}

export type AppRoutes = (app: HttpServer, parts: AppParts) => void;
