import type { FastifyRequest } from "fastify";
import { refuse } from "../domain/codes.ts";

/** The version of the configuration that the caller has seen. */
export function seenIn({ headers }: FastifyRequest): string {
  return plain(headers["if-match"] ?? refuse("if_match_needed"));
}

/** The version that the caller has seen of something that may also be written unseen: undefined without If-Match, and with `*`. */
export function seenIfTold({ headers }: FastifyRequest): string | undefined {
  const told = headers["if-match"];
  return told === undefined || told.trim() === "*" ? undefined : plain(told);
}

const plain = (tag: string) => tag.replace(/^"|"$/g, "");
