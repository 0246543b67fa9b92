import type { FastifyRequest } from "fastify";
import { refuse } from "./refusals.ts";
import type { SignIn } from "./sign-in.ts";

/** Who is asking: set on every request that has passed the gate. */
export interface Caller {
  readonly accountId: string;
  readonly sessionId: string;
  /** When the session was used last, as far as that is noted. */
  readonly seenAt: number;
}

const callers = new WeakMap<FastifyRequest, Caller>();

export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (!caller) throw refuse("no_session");
  return caller;
}

/** Lets in who has a session, before anything of the request's body is read. */
export function sessionGate(signIn: SignIn, now: () => number) {
  return async (request: FastifyRequest): Promise<void> => {
    const session = await signIn.find(request.headers.cookie, now());
    if (!session) throw refuse("no_session");
    callers.set(request, { accountId: session.subject, sessionId: session.id, seenAt: session.last_seen_at });
  };
}

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * A browser says from which page a write comes. It is taken from our own pages: those of the public
 * address, and those of the very host that was asked (an address under which a proxy or the network
 * knows us), though never an unencrypted page where people are served over https: whoever sits on the
 * wire could have written it. Programs that are no browsers say nothing.
 */
export function originGate(publicUrl: string) {
  const { origin: own, protocol } = new URL(publicUrl);
  return async (request: FastifyRequest): Promise<void> => {
    if (SAFE_METHODS.has(request.method)) return;
    const { origin, host, "sec-fetch-site": site } = request.headers;
    if (origin === undefined) {
      if (site === undefined || site === "same-origin" || site === "none") return;
      throw refuse("bad_origin");
    }
    if (origin === own) return;
    const page = URL.parse(origin);
    if (page?.host === host && (page?.protocol === "https:" || protocol === "http:")) return;
    throw refuse("bad_origin");
  };
}
