import type { Clock } from "@frontdesk/kit/clock";
import type { RatePolicy } from "@frontdesk/kit/sliding-window";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isLive } from "../domain/access.ts";
import type { Actor } from "../domain/actor.ts";
import { refuse } from "../domain/codes.ts";
import type { RateWindows } from "../domain/rate-window.ts";
import type { ReadModel } from "../domain/read-model.ts";
import type { Scope } from "../domain/scopes.ts";
import { hashToken, isToken } from "../domain/token.ts";
import type { TokenHolder, TokenUsage } from "../domain/token-holder.ts";

/** Of each group, the token must have at least one scope. */
export type Needs = ReadonlyArray<readonly Scope[]>;

export interface Visitor {
  readonly holder: TokenHolder;
  readonly integration: TokenHolder["integration"];
  /** As whom the visitor changes things. */
  readonly actor: Actor;
}

declare module "fastify" {
  interface FastifyContextConfig {
    needs?: Needs;
  }
  interface FastifyRequest {
    visitor: Visitor | null;
  }
}

export interface GateOptions {
  readonly reader: Pick<ReadModel, "tokenHolder">;
  readonly usage: TokenUsage;
  readonly windows: RateWindows;
  readonly policy: RatePolicy;
  readonly clock: Clock;
}

/** Goes on with what is there at once, and with what is not when it comes. */
const soon = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value);

const seconds = (ms: number): number => Math.ceil(ms / 1000);

/** Lets a request in: token, rate, organisation, scope, in this order and before its body is read. */
export function createGate(options: GateOptions) {
  const { reader, usage, policy, clock } = options;
  const policyHeader = `"default";q=${policy.max};w=${seconds(policy.windowMs)}`;

  /**
   * Counts so many units of the token's rate, and says how it stands in the reply's headers. A refused
   * request costs nothing: `counted` units that it was charged before are given back.
   */
  function spend(reply: FastifyReply, tokenId: string, units: number, counted = 0): void | Promise<void> {
    return soon(options.windows.consume(tokenId, units, counted), (verdict) => {
      reply.header("ratelimit-policy", policyHeader);
      reply.header("ratelimit", `"default";r=${verdict.remaining};t=${seconds(verdict.resetMs)}`);
      if (verdict.allowed) return;
      const wait = Math.max(1, seconds(verdict.waitMs));
      reply.header("retry-after", String(wait));
      throw refuse("rate_limited", `Too many requests with this token: try again in ${wait} seconds.`);
    });
  }

  function admit(request: FastifyRequest, reply: FastifyReply, needs: Needs): void | Promise<void> {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
    if (!token || !isToken(token)) throw refuse("unauthorized");
    // Before the store is asked: what it tells of the token is not newer than this.
    const admittedAt = clock.now();
    return soon(reader.tokenHolder(hashToken(token)), (holder) => {
      if (!holder || !isLive(holder, clock.now())) throw refuse("unauthorized");
      usage.note(holder.tokenId);
      return soon(spend(reply, holder.tokenId, 1), () => {
        if ((request.params as { org: string }).org !== holder.org.slug) throw refuse("org_not_found");
        for (const group of needs) {
          if (!group.some((scope) => holder.scopes.includes(scope))) {
            throw refuse("missing_scope", `This needs a token with the scope ${group.join(" or ")}.`);
          }
        }
        request.visitor = {
          holder,
          integration: holder.integration,
          actor: {
            kind: "integration",
            integration: holder.integration,
            tokenId: holder.tokenId,
            admittedAt,
          },
        };
      });
    });
  }

  /**
   * For a route: who comes in there. It does not wait where there is nothing to wait for, since a body
   * that comes in before anyone asks for it takes Node a long way round.
   */
  const letIn =
    (needs: Needs) =>
    (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
      try {
        const waiting = admit(request, reply, needs);
        if (waiting) waiting.then(() => done(), done);
        else done();
      } catch (error) {
        done(error as Error);
      }
    };

  return { letIn, spend };
}

export type Gate = ReturnType<typeof createGate>;

export function visitorOf(request: FastifyRequest): Visitor {
  if (!request.visitor) throw new Error("the gate was not passed");
  return request.visitor;
}
