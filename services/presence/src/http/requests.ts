import { type Static, type TSchema, Type } from "typebox";
import { Time, Ulid } from "../domain/resources.ts";
import { STEERING } from "../domain/shown-text.ts";

/**
 * What callers send. No database keeps the character NUL or half of a surrogate pair as it came, so
 * nothing accepts them. Every pattern is linear: one that is too long is matched too, to list what is wrong.
 */

const KEPT = "[^\\u0000\\uD800-\\uDFFF]";
/** A time with milliseconds and an offset has 29 characters. */
const MAX_TIME_LENGTH = 40;
export const Moment = Type.String({ ...Time, maxLength: MAX_TIME_LENGTH });
export const words = (maxLength: number, description?: string, example?: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: `^${KEPT}*$`,
    ...(description ? { description } : {}),
    ...(example ? { examples: [example] } : {}),
  });
/** Names: one line, and nothing in them that turns what stands beside them around. */
export const line = (maxLength: number, description?: string) => ({
  ...words(maxLength, description),
  pattern: `^[^${STEERING}]*$`,
});
export const nullable = <T extends TSchema>(schema: T) => {
  const { description, examples } = schema as { description?: string; examples?: unknown[] };
  return Type.Union([schema, Type.Null()], {
    ...(description ? { description } : {}),
    ...(examples ? { examples } : {}),
  });
};

export const Text = Type.String({
  minLength: 1,
  maxLength: 2_000,
  pattern: `^\\s*[^\\u0000\\uD800-\\uDFFF\\s]${KEPT}*$`,
  description: "1 to 2,000 characters, not only white space.",
  examples: ["Return the projector"],
});
export const WebUrl = Type.String({
  maxLength: 2_000,
  pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^\\s\\u0000\\uD800-\\uDFFF]+$",
  description: "An http or https address.",
  examples: ["https://jira.example/browse/OPS-12"],
});

export const StatusBody = Type.Object(
  {
    status: words(40, "A key of the organisation's vocabulary.", "focus"),
    expiresAt: Type.Optional(nullable(Moment)),
  },
  { additionalProperties: false },
);

export const BatchBody = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          email: Type.Optional(words(254, undefined, "anna@example.org")),
          externalRef: Type.Optional(words(200)),
          status: words(40, undefined, "remote"),
          expiresAt: Type.Optional(nullable(Moment)),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 500, description: "Each names a member by `email` or by `externalRef`." },
    ),
  },
  { additionalProperties: false },
);

export const TodoBody = Type.Object(
  {
    text: Text,
    projectId: Type.Optional(nullable(Ulid)),
    externalSystem: Type.Optional(words(100, "Without it: the integration's name.", "jira")),
    externalRef: Type.Optional(
      words(200, "Repeating a request with the same reference creates nothing.", "OPS-12"),
    ),
    externalUrl: Type.Optional(nullable(WebUrl)),
  },
  { additionalProperties: false },
);

export const TodoPatchBody = Type.Object(
  {
    text: Type.Optional(Text),
    projectId: Type.Optional(nullable(Ulid)),
    externalUrl: Type.Optional(nullable(WebUrl)),
    archived: Type.Optional(Type.Boolean()),
    position: Type.Optional(Type.Number({ minimum: -1e15, maximum: 1e15 })),
    done: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false, minProperties: 1 },
);

export const ExternalRefBody = Type.Object(
  { externalRef: nullable(words(200, "Null forgets the reference.", "badge-4711")) },
  { additionalProperties: false },
);

export const EmailParams = Type.Object({ org: words(63), email: words(254, "In any case.") });
export const RefParams = Type.Object({
  org: words(63),
  ref: words(200, "What the caller's integration calls this member."),
});
export const OrgParams = Type.Object({ org: words(63) });
export const TodoParams = Type.Object({ org: words(63), id: words(100, "The TODO's ULID.") });
export const TodoRefParams = Type.Object({ org: words(63), system: words(100), ref: words(200) });

export const IfMatch = Type.Object({
  "if-match": Type.Optional(Type.String({ description: "The TODO's ETag, or * to override." })),
});

const pageFields = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: "50 unless told." })),
  cursor: Type.Optional(words(1_000, "The `nextCursor` of the page before.")),
};
export const PageQuery = Type.Object(pageFields, { additionalProperties: false });
export const TodoQuery = Type.Object(
  {
    ...pageFields,
    done: Type.Optional(Type.Boolean()),
    archived: Type.Optional(Type.Boolean()),
    project: Type.Optional(Ulid),
  },
  { additionalProperties: false },
);
export const EventQuery = Type.Object(
  {
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "The last sequence you have. Without it: from the oldest event that is kept.",
      }),
    ),
    limit: pageFields.limit,
  },
  { additionalProperties: false },
);

export type StatusBody = Static<typeof StatusBody>;
export type BatchBody = Static<typeof BatchBody>;
export type TodoBody = Static<typeof TodoBody>;
