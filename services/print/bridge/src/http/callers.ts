import type { FastifyRequest } from "fastify";
import type { Access } from "../domain/access.ts";
import { BridgeError } from "../domain/errors.ts";
import type { OriginRecord } from "../domain/registry.ts";

const bearer = (request: FastifyRequest) => /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];

/** Whose request this is: the token's origin, or an origin that may do without. */
export function callerOf(access: Access, request: FastifyRequest): OriginRecord {
  const header = request.headers.origin;
  const admitted = header === undefined ? undefined : access.origin(header);
  if (header !== undefined && !admitted) {
    throw new BridgeError("ORIGIN_DENIED", "This origin has not been allowed to print here.");
  }
  const token = bearer(request);
  if (token !== undefined) return access.authenticate(token, header);
  if (admitted?.open) return admitted;
  throw new BridgeError("AUTH_REQUIRED", "Send this origin's token as a bearer token.");
}

/** Only the administrator passes. A page of another origin never does, whatever it holds. */
export function assertAdmin(request: FastifyRequest, isAdminToken: (token: string) => boolean): void {
  const { origin, host } = request.headers;
  if (origin !== undefined && URL.parse(origin)?.host !== host) {
    throw new BridgeError("ORIGIN_DENIED", "The administration is not open to pages of other origins.");
  }
  const token = bearer(request);
  if (token === undefined)
    throw new BridgeError("AUTH_REQUIRED", "Send the administrator's token as a bearer token.");
  if (!isAdminToken(token)) throw new BridgeError("AUTH_INVALID", "This is not the administrator's token.");
}
