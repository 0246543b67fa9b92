import type { IntegrationRecord, Role } from "./records.ts";

/** Who changes something. Every change has one: its events and the audit log carry it. */
export type Actor =
  | {
      readonly kind: "integration";
      readonly integration: IntegrationRecord;
      readonly tokenId: string;
      /** When the token was judged; undefined: it is not judged again. */
      readonly admittedAt?: number;
    }
  | {
      readonly kind: "member";
      readonly memberId: string;
      /** What the change itself demands once more; undefined: nothing. */
      readonly demands?: { readonly role: Role; readonly sessionId: string };
    }
  | { readonly kind: "cli" }
  /** A planned status begins. */
  | { readonly kind: "plan" }
  /** Somebody who came by a share link. */
  | { readonly kind: "visitor" }
  | { readonly kind: "expiry" };

export const CLI: Actor = { kind: "cli" };
export const PLAN: Actor = { kind: "plan" };
export const VISITOR: Actor = { kind: "visitor" };
export const EXPIRY: Actor = { kind: "expiry" };

/** As resources and events tell it. */
export function sourceOf(actor: Actor): string {
  switch (actor.kind) {
    case "integration":
      return `integration:${actor.integration.name}`;
    case "member":
      return "app";
    default:
      return actor.kind;
  }
}

/** As the audit log tells it: which token, which member. */
export function actorText(actor: Actor): string {
  switch (actor.kind) {
    case "integration":
      return `integration:${actor.integration.name} token:${actor.tokenId}`;
    case "member":
      return `member:${actor.memberId}`;
    default:
      return actor.kind;
  }
}

/** The integration that an actor is, if it is one. */
export const integrationOf = (actor: Actor): IntegrationRecord | null =>
  actor.kind === "integration" ? actor.integration : null;
