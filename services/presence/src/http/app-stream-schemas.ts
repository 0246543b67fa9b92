import { type Static, Type } from "typebox";
import { Project, Todo, Ulid } from "../domain/resources.ts";
import { AppStatus, BoardMember } from "./app-schemas.ts";
import { SharedMember, SharedOwner, SharedTodo } from "./app-task-schemas.ts";
import { nullable } from "./requests.ts";
import { ref } from "./schema-reference.ts";

/**
 * What the stream tells, by the name of the event; `data` is JSON. Events with an id are those of the organisation in
 * their order; what the viewer may not see moves the id alone. `hello`, `changed`, `alive` and `reset` have none of their own.
 */
const gone = Type.Object({ id: Type.String() });

/** `GET /orgs/{org}/stream?after=<sequence>` */
export const STREAM_EVENTS = {
  /**
   * Comes first. Another version than before: the pages were upgraded (before the dot), or ids on share links are others
   * (behind it). Another revision than the board's: read it again.
   */
  hello: Type.Object({ version: Type.String(), revision: Type.String() }),
  status: Type.Object({ memberId: Ulid, status: AppStatus, previous: Type.String() }),
  member: BoardMember,
  left: gone,
  todo: ref(Todo),
  "todo-gone": gone,
  project: ref(Project),
  /**
   * The organisation has gone from the revision `before` to another, and only this member's profile is another, or nothing
   * that is shown. A board of yet another revision is read again.
   */
  revised: Type.Object({ revision: Type.String(), before: Type.String(), member: nullable(BoardMember) }),
  /** Vocabulary or settings are others: read the board again. */
  changed: Type.Object({ revision: Type.String() }),
  /** Every 15 seconds: whoever does not hear it has no line any more. */
  alive: Type.Object({}),
  /** What happened since is not told: read the board again; the stream goes on from there, whatever was told before. */
  reset: Type.Object({}),
};

/** `GET /shared/{token}/stream?after=<sequence>` */
export const SHARED_STREAM_EVENTS = {
  hello: STREAM_EVENTS.hello,
  status: Type.Object({ id: Type.String(), status: Type.String(), expiresAt: nullable(Type.String()) }),
  member: SharedMember,
  left: gone,
  todo: SharedTodo,
  revised: Type.Object({
    revision: Type.String(),
    before: Type.String(),
    member: nullable(Type.Union([SharedMember, SharedOwner])),
  }),
  "todo-gone": gone,
  /** Of a project and its TODOs, it has a place among the events instead. */
  changed: Type.Object({ revision: Type.Optional(Type.String()) }),
  alive: Type.Object({}),
  reset: Type.Object({}),
  /** The link was revoked or has expired; the stream ends. */
  revoked: Type.Object({}),
};

export type StreamEvents = {
  readonly [Name in keyof typeof STREAM_EVENTS]: Static<(typeof STREAM_EVENTS)[Name]>;
};
export type SharedStreamEvents = {
  readonly [Name in keyof typeof SHARED_STREAM_EVENTS]: Static<(typeof SHARED_STREAM_EVENTS)[Name]>;
};
