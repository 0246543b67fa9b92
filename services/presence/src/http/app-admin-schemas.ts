import { type Static, Type } from "typebox";
import { EVENT_TYPES, type EventType, Time, Ulid } from "../domain/resources.ts";
import type { Scope } from "../domain/scopes.ts";
import {
  BoardMember,
  BoardStatus,
  ClockTime,
  GroupName,
  Kind,
  OrgView,
  PersonName,
  Role,
  ZoneName,
} from "./app-schemas.ts";
import { line, Moment, nullable, words } from "./requests.ts";

/** What the web app sends and gets about the organisation itself: for its administrators. */

const strict = { additionalProperties: false };
const pageFields = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "50 unless told." })),
  cursor: Type.Optional(words(1_000, "The `nextCursor` of the page before.")),
};

export const OrgPatch = Type.Object(
  {
    name: Type.Optional(line(100)),
    timeZone: Type.Optional(ZoneName),
    closingTime: Type.Optional(nullable(ClockTime)),
  },
  { ...strict, minProperties: 1 },
);
export const OrgReply = OrgView;

export const MemberPatch = Type.Object(
  {
    name: Type.Optional(PersonName),
    group: Type.Optional(nullable(GroupName)),
    timeZone: Type.Optional(nullable(ZoneName)),
    role: Type.Optional(Role),
  },
  { ...strict, minProperties: 1 },
);
export const MemberReply = BoardMember;

export const NewInvitations = Type.Object(
  {
    emails: Type.Array(words(254), { minItems: 1, maxItems: 50 }),
    role: Role,
    group: Type.Optional(nullable(GroupName)),
  },
  strict,
);
export const Invitation = Type.Object(
  {
    id: Ulid,
    email: Type.String(),
    role: Role,
    group: nullable(Type.String()),
    invitedBy: nullable(Type.String({ description: "The id of a member." })),
    createdAt: Time,
    expiresAt: Time,
  },
  strict,
);
export type Invitation = Static<typeof Invitation>;
export const InvitationList = Type.Object({ data: Type.Array(Invitation) }, strict);

const statusFields = {
  label: line(80),
  emoji: { ...line(16), minLength: 0 },
  color: Type.String({ pattern: "^#[0-9a-f]{6}$", maxLength: 7 }),
  kind: Kind,
  defaultMinutes: nullable(Type.Integer({ minimum: 1, maximum: 60 * 24 * 31 })),
};
export const NewStatus = Type.Object(
  { key: Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,39}$", maxLength: 40 }), ...statusFields },
  strict,
);
export const StatusPatch = Type.Object(
  {
    label: Type.Optional(statusFields.label),
    emoji: Type.Optional(statusFields.emoji),
    color: Type.Optional(statusFields.color),
    kind: Type.Optional(statusFields.kind),
    defaultMinutes: Type.Optional(statusFields.defaultMinutes),
    isDefault: Type.Optional(Type.Literal(true)),
    after: Type.Optional(nullable(words(40, "Puts it behind the status with this key; null: before all."))),
  },
  { ...strict, minProperties: 1 },
);
export const AdminStatus = Type.Object(
  {
    status: BoardStatus,
    holders: Type.Integer({
      description: "How many members have it now; removing it moves them to the default.",
    }),
    planned: Type.Integer({ description: "How many planned statuses go with it." }),
  },
  strict,
);
export const AdminStatusList = Type.Object({ data: Type.Array(AdminStatus) }, strict);
export const StatusRemoved = Type.Object({ moved: Type.Integer(), planned: Type.Integer() }, strict);

const ScopeName = Type.Unsafe<Scope>({ type: "string", maxLength: 40 });
export const NewToken = Type.Object(
  {
    integration: Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,62}$", maxLength: 63 }),
    name: Type.Optional(line(100)),
    scopes: Type.Array(ScopeName, { minItems: 1, maxItems: 20 }),
    expiresInDays: Type.Optional(
      nullable(Type.Integer({ minimum: 1, maximum: 3_660, description: "90 unless told; null: never." })),
    ),
  },
  strict,
);
export const AppToken = Type.Object(
  {
    id: Ulid,
    integration: Type.String(),
    name: Type.String(),
    scopes: Type.Array(Type.String()),
    createdAt: Time,
    lastUsedAt: nullable(Time),
    expiresAt: nullable(Time),
    revokedAt: nullable(Time),
  },
  strict,
);
export const AppTokenList = Type.Object({ data: Type.Array(AppToken) }, strict);
export const TokenMade = Type.Object(
  { token: Type.String({ description: "Shown this once." }), record: AppToken },
  strict,
);

const EventName = Type.Unsafe<EventType>({ type: "string", enum: EVENT_TYPES });
const EventFilter = Type.Array(EventName, { maxItems: 50, description: "Empty: every type." });
export const NewWebhook = Type.Object({ url: words(2_000), events: EventFilter }, strict);
export const WebhookPatch = Type.Object(
  {
    url: Type.Optional(words(2_000)),
    events: Type.Optional(EventFilter),
    state: Type.Optional(Type.Union([Type.Literal("active"), Type.Literal("paused")])),
  },
  { ...strict, minProperties: 1 },
);
export const AppWebhook = Type.Object(
  {
    id: Ulid,
    url: Type.String(),
    events: Type.Array(Type.String()),
    state: Type.Union([Type.Literal("active"), Type.Literal("paused"), Type.Literal("disabled")]),
    disabledReason: nullable(Type.String()),
    failingSince: nullable(Time),
    createdAt: Time,
  },
  strict,
);
export type AppWebhook = Static<typeof AppWebhook>;
export const AppWebhookList = Type.Object({ data: Type.Array(AppWebhook) }, strict);
export const WebhookMade = Type.Object(
  { webhook: AppWebhook, secret: Type.String({ description: "Shown this once." }) },
  strict,
);

const Outcome = Type.Union([Type.Literal("pending"), Type.Literal("delivered"), Type.Literal("failed")]);
export const DeliveryQuery = Type.Object(
  {
    ...pageFields,
    outcome: Type.Optional(Outcome),
    type: Type.Optional(EventName),
    since: Type.Optional(Moment),
    until: Type.Optional(Moment),
  },
  strict,
);
const deliveryFields = {
  id: Ulid,
  eventId: Ulid,
  type: Type.String(),
  sequence: Type.Integer(),
  state: Outcome,
  createdAt: Time,
  updatedAt: Time,
  nextAttemptAt: nullable(Time),
  attempts: Type.Integer(),
  lastStatus: nullable(Type.Integer()),
  lastError: nullable(Type.String({ description: "A refusal by the address guard, too." })),
};
export const Delivery = Type.Object(deliveryFields, strict);
export type Delivery = Static<typeof Delivery>;
export const DeliveryPage = Type.Object(
  { data: Type.Array(Delivery), nextCursor: nullable(Type.String()) },
  strict,
);
export const Attempt = Type.Object(
  {
    number: Type.Integer(),
    at: Time,
    durationMs: Type.Integer(),
    status: nullable(Type.Integer()),
    error: nullable(
      Type.String({ description: "DNS, TLS, connection, time limit, or the guard's refusal." }),
    ),
    response: nullable(Type.String({ description: "The beginning of the answer." })),
    url: nullable(Type.String({ description: "Which address was called. Null: it was not kept then." })),
  },
  strict,
);
export const DeliveryDetail = Type.Object(
  {
    delivery: Delivery,
    url: Type.String({ description: "The webhook's address now, which the next attempt calls." }),
    headers: Type.Record(Type.String(), Type.String(), {
      description: "Those of every attempt; the signatures are made anew each time and are not kept.",
    }),
    body: nullable(Type.String({ description: "Null: the event is no longer kept." })),
    attempts: Type.Array(Attempt),
  },
  strict,
);
export const RedeliverQuery = Type.Object({ since: Moment }, strict);
export const RedeliverCount = Type.Object({ count: Type.Integer() }, strict);
export const RedeliverBody = Type.Object({ since: Moment }, strict);

export const AuditQuery = Type.Object(
  {
    ...pageFields,
    by: Type.Optional(
      Type.Union([Type.Literal("people"), Type.Literal("others")], {
        description:
          "`people`: members and the command line, kept for 400 days. `others`: integrations, plans, expiry and visitors, as the events tell of them, kept for 30 days; a page may be empty and still have a next one.",
        default: "people",
      }),
    ),
    actor: Type.Optional(words(200)),
    action: Type.Optional(words(100)),
  },
  strict,
);
export const AuditEntry = Type.Object(
  {
    id: Ulid,
    at: Time,
    actor: Type.String({
      description: "`member:<id>`, `integration:<name> token:<id>`, `cli`, `plan`, `expiry`, `visitor`.",
    }),
    actorName: nullable(Type.String({ description: "Of a member, also of one who has left: the name." })),
    action: Type.String(),
    subject: nullable(Type.String()),
    subjectName: nullable(Type.String()),
    detail: Type.Record(Type.String(), Type.Unknown()),
  },
  strict,
);
export const AuditPage = Type.Object(
  { data: Type.Array(AuditEntry), nextCursor: nullable(Type.String()) },
  strict,
);
