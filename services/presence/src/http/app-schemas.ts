import { type Static, Type } from "typebox";
import { MAX_FOLLOWS } from "../domain/follows.ts";
import { Time, Ulid } from "../domain/resources.ts";
import { line, Moment, nullable, words } from "./requests.ts";

/** What the web app sends and gets about people: who is signed in, the board, and statuses. */

const strict = { additionalProperties: false };

/** What a person may do in an organisation, from little to much. */
export const Role = Type.Union([Type.Literal("member"), Type.Literal("reception"), Type.Literal("admin")]);
/** Whether somebody with a status is there: in the house, away for a while, out for the day or longer. */
export const Kind = Type.Union([Type.Literal("in"), Type.Literal("away"), Type.Literal("out")]);
/** A time of day on the clocks of a zone. */
export const ClockTime = Type.String({
  pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$",
  maxLength: 5,
  description: "`17:00`",
});
export const ZoneName = words(64, "An IANA time zone.", "Europe/Berlin");
export const PersonName = line(200);
export const GroupName = line(80);
export const Note = words(120, "Up to 120 characters.");
export const StatusKey = words(40, "A key of the organisation's vocabulary.", "focus");

export const AppConfig = Type.Object(
  {
    firstRun: Type.Boolean({ description: "Whether there is no organisation yet." }),
    mail: Type.Union([Type.Literal("smtp"), Type.Literal("outbox")], {
      description: "Where sign-in codes go: by mail, or into files that the operator reads.",
    }),
    version: Type.String({ description: "Another one after an upgrade of the pages." }),
  },
  strict,
);

export const FirstRunSecret = Type.Object({ secret: words(100, "From the one-time link.") }, strict);
export const FirstRunOffer = Type.Object(
  {
    statuses: Type.Array(
      Type.Object({ key: Type.String(), label: Type.String(), emoji: Type.String() }, strict),
    ),
  },
  strict,
);
export const FirstRunBody = Type.Object(
  {
    secret: words(100),
    name: line(100, "The organisation's name."),
    email: words(254, "The address of its first administrator."),
    yourName: Type.Optional(PersonName),
    defaultStatus: StatusKey,
    timeZone: Type.Optional(ZoneName),
  },
  strict,
);
export const FirstRunDone = Type.Object({ org: Type.String({ description: "The slug." }) }, strict);

export const Me = Type.Object(
  {
    email: Type.String(),
    orgs: Type.Array(
      Type.Object({ slug: Type.String(), name: Type.String(), memberId: Ulid, role: Role }, strict),
    ),
    invitations: Type.Array(
      Type.Object({ org: Type.String({ description: "The organisation's name." }), role: Role }, strict),
    ),
  },
  strict,
);

export const AppStatus = Type.Object(
  {
    status: Type.String({ description: "A key of the vocabulary." }),
    note: nullable(Type.String()),
    expiresAt: nullable(Time),
    setAt: nullable(Time),
    source: Type.String({
      description: "`integration:<name>`, `app`, `cli`, `plan`, `expiry`, or `default` for nobody.",
    }),
    setBy: nullable(
      Type.String({ description: "The id of the member who set it, where that is somebody else." }),
    ),
  },
  strict,
);
export type AppStatus = Static<typeof AppStatus>;

export const BoardMember = Type.Object(
  {
    id: Ulid,
    email: Type.String(),
    name: Type.String(),
    group: nullable(Type.String()),
    timeZone: nullable(Type.String({ description: "Null: the organisation's." })),
    role: Role,
    avatarUrl: Type.String(),
    status: AppStatus,
  },
  strict,
);
export type BoardMember = Static<typeof BoardMember>;

export const BoardStatus = Type.Object(
  {
    key: Type.String(),
    label: Type.String(),
    emoji: Type.String(),
    color: Type.String({ description: "As it was given." }),
    lightColor: Type.String({ description: "Has a contrast of 4.5:1 on the light background." }),
    darkColor: Type.String({ description: "Has a contrast of 4.5:1 on the dark background." }),
    kind: Kind,
    defaultMinutes: nullable(
      Type.Integer({ description: "How long it lasts unless told; null: until it is changed." }),
    ),
    isDefault: Type.Boolean(),
  },
  strict,
);
export type BoardStatus = Static<typeof BoardStatus>;

export const OrgView = Type.Object(
  {
    slug: Type.String(),
    name: Type.String(),
    timeZone: Type.String(),
    closingTime: nullable(ClockTime),
  },
  strict,
);
export type OrgView = Static<typeof OrgView>;

const UndoId = Type.Union([Ulid, Type.Null()], {
  description: "Takes the last change of the status back; null: there is none to take back.",
});

export const Board = Type.Object(
  {
    sequence: Type.Integer({ description: "Where the stream goes on: `stream?after=…`." }),
    revision: Type.String({
      description: "Another one than the stream tells: something has changed of which no event told.",
    }),
    now: Time,
    org: OrgView,
    me: Type.Object({ id: Ulid, role: Role, follows: Type.Array(Ulid), undo: UndoId }, strict),
    statuses: Type.Array(BoardStatus),
    members: Type.Array(BoardMember),
  },
  strict,
);
export type Board = Static<typeof Board>;

export const ProfilePatch = Type.Object(
  { name: Type.Optional(PersonName), timeZone: Type.Optional(nullable(ZoneName)) },
  { ...strict, minProperties: 1 },
);

export const DAYS = [
  "today",
  "tomorrow",
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday",
] as const;
const Day = Type.Unsafe<(typeof DAYS)[number]>({ type: "string", enum: [...DAYS] });

/** When a status ends. Days and times are those of the member's zone; a weekday is the next one, never today. */
export const Until = Type.Union([
  Type.Literal("default", { description: "After the status's own default duration." }),
  Type.Literal("open", { description: "When it is changed." }),
  Type.Object({ minutes: Type.Integer({ minimum: 1, maximum: 60 * 24 * 366 }) }, strict),
  Type.Object({ day: Day, time: ClockTime }, strict),
  Type.Object({ at: Moment }, strict),
]);
export type Until = Static<typeof Until>;

export const SetStatusBody = Type.Object(
  {
    status: StatusKey,
    until: Type.Optional(Until),
    note: Type.Optional(nullable(Note)),
  },
  strict,
);

/** What a change of a status answers with. */
export const StatusChanged = Type.Object(
  {
    member: BoardMember,
    undo: UndoId,
    afterwards: Type.Union([Type.String(), Type.Null()], {
      description: "The status that comes back when this one ends; null: the default, or it has no end.",
    }),
  },
  strict,
);
export const UndoBody = Type.Object(
  { undo: words(26, "What the change was answered with, or the board.") },
  strict,
);

export const Ends = Type.Object(
  {
    now: Time,
    timeZone: Type.String(),
    ends: Type.Array(
      Type.Object(
        {
          name: Type.String({
            description: "`30m`, `1h`, `2h`, `today-17:00`, `tomorrow-9:00`, `monday-9:00`.",
          }),
          until: Until,
          at: Time,
        },
        strict,
      ),
      { description: "Those that are still to come." },
    ),
  },
  strict,
);

/** From Monday, 1, to Sunday, 7. */
export const Weekday = Type.Integer({ minimum: 1, maximum: 7, description: "Monday is 1." });
const planned = { status: StatusKey, note: Type.Optional(nullable(Note)) };
export const PlannedBody = Type.Union([
  Type.Object({ ...planned, repeats: Type.Literal("never"), from: Moment, to: Moment }, strict),
  Type.Object(
    { ...planned, repeats: Type.Literal("weekly"), weekday: Weekday, start: ClockTime, end: ClockTime },
    strict,
  ),
]);
export type PlannedBody = Static<typeof PlannedBody>;

export const Planned = Type.Object(
  {
    id: Ulid,
    status: Type.String(),
    note: nullable(Type.String()),
    repeats: Type.Union([Type.Literal("never"), Type.Literal("weekly")]),
    from: nullable(Time),
    to: nullable(Time),
    weekday: nullable(Type.Integer()),
    start: nullable(Type.String()),
    end: nullable(Type.String()),
    nextAt: nullable(
      Type.String({ format: "date-time", description: "When it begins next; null: it has begun." }),
    ),
  },
  strict,
);
export type Planned = Static<typeof Planned>;
export const PlannedList = Type.Object({ data: Type.Array(Planned) }, strict);

export const FollowsBody = Type.Object({ members: Type.Array(Ulid, { maxItems: MAX_FOLLOWS }) }, strict);

export const CalendarState = Type.Object({ createdAt: nullable(Time) }, strict);
export const CalendarMade = Type.Object(
  { url: Type.String({ description: "Shown this once; a new one replaces it." }), createdAt: Time },
  strict,
);
