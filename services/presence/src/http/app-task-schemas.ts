import { type Static, Type } from "typebox";
import { Project, Time, Todo, Ulid } from "../domain/resources.ts";
import { ULID_PATTERN } from "../domain/ulid-pattern.ts";
import { BoardStatus } from "./app-schemas.ts";
import { line, Moment, nullable, Text, WebUrl, words } from "./requests.ts";
import { ref } from "./schema-reference.ts";

/** What the web app sends and gets about TODOs, projects and share links. */

const strict = { additionalProperties: false };

export const TodoListQuery = Type.Object(
  {
    member: Type.Optional(Ulid),
    project: Type.Optional(Ulid),
    done: Type.Optional(Type.Boolean()),
    archived: Type.Optional(Type.Boolean()),
    order: Type.Optional(
      Type.Union([Type.Literal("position"), Type.Literal("done"), Type.Literal("changed")], {
        description:
          "`position` unless told. `done`: only done ones, what was done last first. `changed`: what was changed last first.",
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, description: "200 unless told." })),
    cursor: Type.Optional(words(1_000)),
  },
  strict,
);
export const TodoPage = Type.Object({
  data: Type.Array(ref(Todo)),
  nextCursor: nullable(Type.String()),
});

/** Of one's own making. */
const NewTodoId = Type.String({
  pattern: ULID_PATTERN,
  description: "A ULID of the caller's making: with the same one again, the TODO is not made again.",
});

export const NewTodos = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          id: Type.Optional(NewTodoId),
          text: Text,
          projectId: Type.Optional(nullable(Ulid)),
          externalUrl: Type.Optional(nullable(WebUrl)),
        },
        strict,
      ),
      { minItems: 1, maxItems: 100 },
    ),
  },
  strict,
);
export const TodosMade = Type.Object({ data: Type.Array(ref(Todo)) }, strict);
export const TodoReply = ref(Todo);

export const TodoChange = Type.Object(
  {
    text: Type.Optional(Text),
    projectId: Type.Optional(nullable(Ulid)),
    externalUrl: Type.Optional(nullable(WebUrl)),
    archived: Type.Optional(Type.Boolean()),
    done: Type.Optional(Type.Boolean()),
  },
  { ...strict, minProperties: 1 },
);
export const TodoMove = Type.Object(
  { after: nullable(Ulid) },
  { ...strict, description: "Behind which of the same member's TODOs it goes; null: before all." },
);

export const ProjectList = Type.Object({
  data: Type.Array(
    Type.Object({
      project: ref(Project),
      open: Type.Integer({ description: "How many of its TODOs are neither done nor archived." }),
    }),
  ),
});
export const ProjectReply = ref(Project);
const ProjectName = line(200);
export const NewProject = Type.Object({ name: ProjectName }, strict);
export const ProjectChange = Type.Object(
  { name: Type.Optional(ProjectName), archived: Type.Optional(Type.Boolean()) },
  { ...strict, minProperties: 1 },
);

export const ShareKind = Type.Union([Type.Literal("board"), Type.Literal("project"), Type.Literal("wall")]);
export const NewShareLink = Type.Object(
  {
    kind: ShareKind,
    projectId: Type.Optional(nullable(Ulid)),
    name: line(100),
    expiresAt: Type.Optional(nullable(Moment)),
  },
  strict,
);
export const ShareLinkView = Type.Object(
  {
    id: Ulid,
    kind: ShareKind,
    projectId: nullable(Ulid),
    name: Type.String(),
    creator: nullable(Type.String({ description: "The id of the member who made it." })),
    createdAt: Time,
    expiresAt: nullable(Time),
    accessedAt: nullable(Type.String({ format: "date-time", description: "When it was opened last." })),
  },
  strict,
);
export type ShareLinkView = Static<typeof ShareLinkView>;
export const ShareLinkList = Type.Object({ data: Type.Array(ShareLinkView) }, strict);
export const ShareLinkMade = Type.Object(
  { link: ShareLinkView, url: Type.String({ description: "Shown this once." }) },
  strict,
);

/** What a share link shows: no address, no hash of one, no note. */
const sharedOwner = {
  id: Type.String({ description: "Means nothing beyond this link." }),
  name: Type.String(),
  face: Type.String({ description: "The address of the picture, on this service." }),
};
export const SharedOwner = Type.Object(sharedOwner, {
  ...strict,
  description: "Somebody with a TODO, on a project's link: without group and status.",
});
export const SharedMember = Type.Object(
  {
    ...sharedOwner,
    group: nullable(Type.String()),
    status: Type.String(),
    expiresAt: nullable(Time),
  },
  strict,
);
export type SharedMember = Static<typeof SharedMember>;
export const SharedTodo = Type.Object(
  {
    id: Type.String(),
    text: Type.String(),
    done: Type.Boolean(),
    member: nullable(Type.String({ description: "The `id` of the shared member." })),
    position: Type.Number(),
  },
  strict,
);
export type SharedTodo = Static<typeof SharedTodo>;
export const Shared = Type.Object(
  {
    sequence: Type.Integer({ description: "Where the stream goes on: `stream?after=…`." }),
    revision: Type.String({
      description: "Another one than the stream tells: something has changed of which no event told.",
    }),
    now: Time,
    kind: ShareKind,
    name: Type.String(),
    org: Type.Object({ name: Type.String(), timeZone: Type.String() }, strict),
    expiresAt: nullable(Time),
    version: Type.String(),
    statuses: Type.Array(BoardStatus),
    members: Type.Array(Type.Union([SharedMember, SharedOwner])),
    project: nullable(Type.Object({ name: Type.String(), archived: Type.Boolean() }, strict)),
    todos: Type.Array(SharedTodo),
  },
  strict,
);
export type Shared = Static<typeof Shared>;
