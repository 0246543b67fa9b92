import { type Static, type TSchema, Type } from "typebox";
import { ULID_PATTERN } from "./ulid-pattern.ts";

/** What the API shows and what events carry: one definition for types, validation, docs and client. */

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const Ulid = Type.String({ pattern: ULID_PATTERN, description: "A ULID." });
export const Time = Type.String({ format: "date-time", description: "ISO 8601, in UTC." });
const Source = Type.String({
  description:
    "Who did it: `integration:<name>`, `app`, `cli`, `plan`, `visitor`, `expiry`, or `default` for nobody.",
});
const Email = Type.String({ description: "In lower case." });
const ExternalRefs = Type.Record(Type.String(), Type.String(), {
  description: "The member's external references, by the name of the integration that gave them.",
});

export const StatusDefinition = Type.Object(
  {
    key: Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,39}$" }),
    label: Type.String({ minLength: 1, maxLength: 80 }),
    color: Type.String({ pattern: "^#[0-9a-f]{6}$" }),
    emoji: Type.String({ maxLength: 16 }),
    isDefault: Type.Boolean(),
    kind: Type.Optional(
      Type.Union([Type.Literal("in"), Type.Literal("away"), Type.Literal("out")], {
        description: "At work, not at the moment, or not today.",
      }),
    ),
    defaultMinutes: Type.Optional(
      nullable(
        Type.Integer({ description: "How long it lasts when a person sets it and says nothing else." }),
      ),
    ),
  },
  { $id: "StatusDefinition", additionalProperties: false },
);
export type StatusDefinition = Static<typeof StatusDefinition>;

const statusFields = {
  status: Type.String({ description: "A key of the organisation's vocabulary." }),
  label: Type.String(),
  isDefault: Type.Boolean(),
  expiresAt: nullable(Time),
  setAt: nullable(Time),
  source: Source,
  note: Type.Optional(Type.String({ maxLength: 120, description: "What the person says about it." })),
};
export const CurrentStatus = Type.Object(statusFields, { $id: "CurrentStatus", additionalProperties: false });
export type CurrentStatus = Static<typeof CurrentStatus>;

export const MemberStatus = Type.Object(
  {
    member: Type.Object({ id: Ulid, email: Email, externalRef: nullable(Type.String()) }),
    ...statusFields,
  },
  { $id: "MemberStatus", additionalProperties: false },
);
export type MemberStatus = Static<typeof MemberStatus>;

const memberFields = {
  status: Type.Object(statusFields),
  avatarUrl: Type.String({ description: "The avatar service's image of this e-mail address." }),
  joinedAt: Time,
  group: Type.Optional(Type.String({ description: "The group that the organisation puts the member in." })),
  timeZone: Type.Optional(
    Type.String({ description: "An IANA time zone, where it is not the organisation's." }),
  ),
};
export const Member = Type.Object(
  {
    id: Ulid,
    email: Email,
    name: Type.String(),
    externalRef: nullable(Type.String({ description: "The calling integration's own reference." })),
    ...memberFields,
  },
  { $id: "Member", additionalProperties: false },
);
export type Member = Static<typeof Member>;

export const Project = Type.Object(
  { id: Ulid, name: Type.String(), archived: Type.Boolean(), createdAt: Time, updatedAt: Time },
  { $id: "Project", additionalProperties: false },
);
export type Project = Static<typeof Project>;

export const Todo = Type.Object(
  {
    id: Ulid,
    memberId: Ulid,
    projectId: nullable(Ulid),
    text: Type.String(),
    done: Type.Boolean(),
    doneAt: nullable(Time),
    archived: Type.Boolean(),
    position: Type.Number({
      description: "Sorts a member's TODOs; a number between two others puts it there.",
    }),
    externalSystem: nullable(Type.String()),
    externalRef: nullable(Type.String()),
    externalUrl: nullable(Type.String()),
    source: Source,
    version: Type.Integer(),
    createdAt: Time,
    updatedAt: Time,
  },
  { $id: "Todo", additionalProperties: false },
);
export type Todo = Static<typeof Todo>;

export const ShareLink = Type.Object({
  id: Ulid,
  kind: Type.Union([Type.Literal("board"), Type.Literal("project"), Type.Literal("wall")]),
  projectId: nullable(Ulid),
  createdAt: Time,
  name: Type.Optional(Type.String()),
  expiresAt: Type.Optional(nullable(Time)),
});
export type ShareLink = Static<typeof ShareLink>;

/** As events tell of members: for no integration in particular, so with everyone's references. */
const EventMember = Type.Object({
  id: Ulid,
  email: Email,
  name: Type.String(),
  externalRefs: ExternalRefs,
  ...memberFields,
});
const EventStatus = Type.Object({
  member: Type.Object({ id: Ulid, email: Email, externalRefs: ExternalRefs }),
  ...statusFields,
});

const previous = <T extends TSchema>(schema: T) =>
  Type.Optional(Type.Partial(schema, { description: "The fields that changed, as they were before." }));

const todoData = Type.Object({ todo: Todo, previous: previous(Todo) });
const memberData = Type.Object({ member: EventMember });
const projectData = Type.Object({ project: Project, previous: previous(Project) });

/** Every event type, and what its `data` holds. */
export const EVENT_DATA = {
  "todo.created": todoData,
  "todo.updated": todoData,
  "todo.completed": todoData,
  "todo.uncompleted": todoData,
  "todo.archived": todoData,
  "todo.deleted": todoData,
  "todo.reordered": todoData,
  "member.status.changed": Type.Object({ status: EventStatus, previous: Type.Object(statusFields) }),
  "member.joined": memberData,
  "member.left": memberData,
  "project.created": projectData,
  "project.updated": projectData,
  "project.archived": projectData,
  "share_link.accessed": Type.Object({ shareLink: ShareLink }),
  "webhook.test": Type.Object({ webhook: Type.Object({ id: Ulid, url: Type.String() }) }),
} as const;

export type EventType = keyof typeof EVENT_DATA;
export type EventData<T extends EventType> = Static<(typeof EVENT_DATA)[T]>;
export const EVENT_TYPES = Object.keys(EVENT_DATA) as EventType[];

const eventFields = {
  id: Ulid,
  type: Type.Unsafe<EventType>({ type: "string", enum: EVENT_TYPES }),
  sequence: Type.Integer({ minimum: 1, description: "Gapless and increasing per organisation." }),
  orgSlug: Type.String(),
  occurredAt: Time,
  source: nullable(Source),
};
export const Event = Type.Object(
  { ...eventFields, data: Type.Unknown({ description: "As the webhook of the same type carries it." }) },
  { $id: "Event", additionalProperties: false },
);

/** The body of a delivery of one type. */
export const deliveryOf = (type: EventType) =>
  Type.Object({
    ...eventFields,
    type: Type.Literal(type),
    prevSequence: nullable(
      Type.Integer({ description: "The event before this one that matched the webhook's filter." }),
    ),
    data: EVENT_DATA[type],
  });
