import type { FastifyRequest } from "fastify";
import type { Access } from "../domain/access.ts";
import { BridgeError } from "../domain/errors.ts";
import type { OriginRecord } from "../domain/registry.ts";

export const bearer = (request: FastifyRequest) =>
  /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];

/** Whose request this is: the token's origin, or an origin that may do without. */
export function callerOf(access: Access, request: FastifyRequest): OriginRecord {
  const header = request.headers.origin;
  const admitted = header === undefined ? undefined : access.origin(header);
  if (header !== undefined && !admitted) {
    throw new BridgeError("ORIGIN_DENIED", "This origin has not been allowed to print here.");
  }
  const token = bearer(request);
  if (token !== undefined) return access.authenticate(token, header).owner;
  if (admitted?.open) return admitted;
  throw new BridgeError("AUTH_REQUIRED", "Send this origin's token as a bearer token.");
}
