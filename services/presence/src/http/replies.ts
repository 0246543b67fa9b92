import { type Static, type TSchema, Type } from "typebox";
import { Event, Member, MemberStatus, Project, StatusDefinition, Todo } from "../domain/resources.ts";
import { Problem } from "./problem.ts";

/** What callers get. Named schemas are registered once and referred to. */
export const NAMED = [StatusDefinition, MemberStatus, Member, Project, Todo, Event, Problem] as const;

export const ref = <S extends TSchema>(schema: S & { readonly $id?: string }) =>
  Type.Unsafe<Static<S>>({ $ref: `${schema.$id}#` });

export const pageOf = <S extends TSchema>(schema: S & { readonly $id?: string }) =>
  Type.Object({
    data: Type.Array(ref(schema)),
    nextCursor: Type.Union([Type.String(), Type.Null()], { description: "Null on the last page." }),
  });

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

/** The refusals every endpoint may answer with, for the document. */
export function problems(...more: number[]): Record<number, TSchema> {
  const statuses = [401, 403, 404, 422, 429, ...more].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: DESCRIPTIONS[status] ?? "Refused",
        content: { "application/problem+json": { schema: ref(Problem) } },
      } as unknown as TSchema,
    ]),
  );
}

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: "The body is not JSON",
  401: "No valid token",
  403: "The token lacks a scope",
  404: "No such organisation, member or TODO for this token",
  409: "It conflicts with something else",
  410: "Events that old are no longer kept",
  412: "The TODO has changed; the current one is in the body",
  413: "The body is larger than 64 KiB",
  415: "The body is not JSON by its content type",
  422: "The request does not fit",
  428: "If-Match is needed",
  429: "Too many requests with this token; Retry-After says when to come back",
};
