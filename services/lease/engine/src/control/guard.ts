import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import type { ListenAddress } from "@frontdesk/lease-config/config";
import { refuse } from "./parts.ts";

/** Whether a listener is reached from this machine alone. */
export const isLoopback = ({ host }: ListenAddress) =>
  /^127\./.test(host) || host === "::1" || host === "localhost";

/**
 * Whether a Host header names this machine by address or as localhost. A page that has its own name
 * resolved to this address (DNS rebinding) sends that name.
 */
export function isOwnHost(host: string | undefined): boolean {
  const match = /^(?:\[([0-9a-f:.]{2,45})\]|([^:]{1,255}))(?::\d{1,5})?$/i.exec(host ?? "");
  const name = match?.[1] ?? match?.[2] ?? "";
  return name === "localhost" || isIP(name) !== 0;
}

const digest = (text: string) => createHash("sha256").update(text).digest();

export interface ControlAccess {
  /** One of them is asked for; undefined: none is. */
  readonly tokens: readonly string[] | undefined;
  /** Whether it is reached from this machine alone. */
  readonly loopback: boolean;
}

/** Lets in who may use the control API, and throws for anyone else. */
export function guard(headers: IncomingHttpHeaders, path: string, { tokens, loopback }: ControlAccess): void {
  if (loopback && !isOwnHost(headers.host)) refuse("wrong_host");
  // A page in someone's browser can reach loopback: what comes from a page is not for us.
  if (headers.origin !== undefined) refuse("cross_origin");
  if (path === "/healthz" || tokens === undefined) return;
  const given = headers.authorization?.startsWith("Bearer ") ? headers.authorization.slice(7) : "";
  // An empty token would let in everybody who brings none.
  const opens = (token: string) => token !== "" && timingSafeEqual(digest(given), digest(token));
  if (!tokens.some(opens)) refuse("unauthorized");
}
