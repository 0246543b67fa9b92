import { Type } from "typebox";
import { Event, Member, MemberStatus, Project, StatusDefinition, Todo } from "../domain/resources.ts";
import type { Needs } from "./gate.ts";
import { Problem } from "./problem.ts";
import { ref } from "./schema-reference.ts";

declare module "fastify" {
  interface FastifySchema {
    /** Refusals beside those that every endpoint may answer with, for the document. */
    "x-problems"?: number[];
    /** The scopes, for the document. */
    "x-needs"?: Needs;
  }
}

/** What callers get. */
export const NAMED = [StatusDefinition, MemberStatus, Member, Project, Todo, Event, Problem] as const;

export const BatchReply = Type.Object({
  results: Type.Array(
    Type.Object({
      index: Type.Integer({ description: "Which item this is the result of." }),
      status: Type.Integer({ description: "As the single request would have answered." }),
      data: Type.Optional(ref(MemberStatus)),
      problem: Type.Optional(Type.Object({ code: Type.String(), detail: Type.String() })),
    }),
  ),
});

export const EventPage = Type.Object({
  data: Type.Array(ref(Event)),
  nextCursor: Type.Union([Type.String(), Type.Null()], {
    description: "What to pass as `after` for the next page; null when this is the end for now.",
  }),
  lastSequence: Type.Integer({ description: "The organisation's last event when the page was read." }),
});
