import type { FastifyRequest } from "fastify";
import { refuse } from "../domain/codes.ts";

/** The version of the configuration that the caller has seen. */
export function seenIn({ headers }: FastifyRequest): string {
  return (headers["if-match"] ?? refuse("if_match_needed")).replace(/^"|"$/g, "");
}
