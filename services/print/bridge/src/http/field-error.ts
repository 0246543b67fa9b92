import type { FastifyError } from "fastify";

type Problem = NonNullable<FastifyError["validation"]>[number];

/** What is wrong with a field, in words for the person who filled it in. */
const WORDS: Readonly<Record<string, (limit: string) => string>> = {
  pattern: () => "Has characters that are not allowed there.",
  minLength: (limit) => (limit === "1" ? "Must not be empty." : `Has at least ${limit} characters.`),
  maxLength: (limit) => `Has at most ${limit} characters.`,
  minimum: (limit) => `Is at least ${limit}.`,
  maximum: (limit) => `Is at most ${limit}.`,
  minItems: (limit) => `Has at least ${limit} entries.`,
  maxItems: (limit) => `Has at most ${limit} entries.`,
};

/** What a validator found, as a form shows it at the field. */
export function fieldErrorOf({ instancePath, keyword, params, message = "is not right" }: Problem) {
  const words = WORDS[keyword]?.(String(params.limit));
  return {
    pointer: instancePath,
    detail: words ?? `${message.charAt(0).toUpperCase()}${message.slice(1)}.`,
  };
}
