import type { HttpServer } from "@frontdesk/kit/http-server";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { readOrigin } from "../domain/access.ts";
import { BridgeError } from "../domain/errors.ts";
import type { OriginRecord } from "../domain/registry.ts";
import { type AdminOptions, authorOf } from "./admin-context.ts";
import { ApprovedOrigin, Nothing, OriginBody, OriginRow, PairingList } from "./admin-schemas.ts";
import { assertPrecondition, SeenVersion } from "./precondition.ts";

const Named = Type.Object({ origin: Type.String({ maxLength: 300 }) }, { additionalProperties: false });
const iso = (time: number) => new Date(time).toISOString();

/** Who may print: pages that ask, origins that were let in or refused, and their tokens. */
export function addOriginRoutes(app: HttpServer, options: AdminOptions): void {
  const {
    bridge: { access, log },
    registry,
  } = options;
  const changes = (request: FastifyRequest) => access.by(authorOf(request, options).actor);
  const known = (name: string) => {
    if (!access.origin(name)) throw new BridgeError("ORIGIN_DENIED", "That origin was not let in.");
    return name;
  };

  function rowOf({
    createdAt,
    codes: _codes,
    admitted: _admitted,
    aliases,
    ...origin
  }: OriginRecord): OriginRow {
    return {
      ...origin,
      aliases: aliases ?? null,
      version: registry.origins.version(origin.origin) ?? 0,
      created_at: iso(createdAt),
      tokens: access.tokensOf(origin.origin).map(({ hash, createdAt }) => {
        const used = access.lastUseOf(hash);
        return {
          id: hash,
          created_at: iso(createdAt),
          last_used_at: used === undefined ? null : iso(used),
        };
      }),
    };
  }

  const assertSeen = (request: FastifyRequest, name: string, version: number | undefined) =>
    assertPrecondition(request, version, () => rowOf(registry.origins.get(name) as OriginRecord));

  app.get(
    "/origins",
    {
      schema: {
        summary: "Origins and their tokens",
        response: { 200: Type.Object({ origins: Type.Array(OriginRow) }) },
      },
    },
    async () => ({
      origins: registry.origins.all().map(rowOf),
    }),
  );
  app.post(
    "/origins",
    {
      schema: {
        summary: "Lets an origin in, or changes what it may do",
        body: OriginBody,
        headers: SeenVersion,
        response: { 201: ApprovedOrigin },
      },
    },
    async (request, reply) => {
      const { origin, printers, rights, open, code, issueToken = true } = request.body;
      const name = readOrigin(origin);
      if (code !== undefined && !access.pairings().some((asks) => asks.origin === name && asks.code === code))
        throw new BridgeError("PROTOCOL_ERROR", "No page of this origin waits with this code.", {
          field: "code",
        });
      assertSeen(request, name, registry.origins.version(name));
      const what = access.origin(name) ? "origin changed" : "origin approved";
      const by = changes(request);
      const { record, token } = registry.together(() => ({
        record: by.approve(name, {
          ...(printers !== undefined ? { aliases: printers } : {}),
          ...(rights ? { rights } : {}),
          ...(open !== undefined ? { open } : {}),
          ...(code !== undefined ? { code } : {}),
        }),
        token: issueToken ? { token: by.issueToken(name) } : {},
      }));
      log.info(
        { origin: name, rights: record.rights, printers: record.aliases ?? "all", tokenIssued: issueToken },
        what,
      );
      const { codes: _codes, admitted: _admitted, ...approved } = record;
      return reply.code(201).send({ ...approved, version: registry.origins.version(name) ?? 0, ...token });
    },
  );
  app.post(
    "/origins/deny",
    { schema: { summary: "Refuses an origin for good", body: Named, response: { 204: Nothing } } },
    async (request, reply) => {
      changes(request).deny(readOrigin(request.body.origin));
      log.info({ origin: request.body.origin }, "origin denied");
      return reply.code(204).send(undefined);
    },
  );
  app.delete(
    "/origins",
    {
      schema: {
        summary: "Takes everything back from an origin",
        querystring: Named,
        headers: SeenVersion,
        response: { 204: Nothing },
      },
    },
    async (request, reply) => {
      const name = readOrigin(request.query.origin);
      const version = registry.origins.version(name);
      if (version !== undefined) assertSeen(request, name, version);
      if (!changes(request).revoke(name)) throw new BridgeError("ORIGIN_DENIED", "There is no such origin.");
      log.info({ origin: name }, "origin revoked");
      return reply.code(204).send(undefined);
    },
  );
  app.post(
    "/origins/tokens",
    {
      schema: {
        summary: "A further token for an origin, shown this once",
        body: Named,
        response: { 201: Type.Object({ token: Type.String() }) },
      },
    },
    async (request, reply) => {
      const origin = known(readOrigin(request.body.origin));
      const token = changes(request).issueToken(origin);
      log.info({ origin }, "token issued");
      return reply.code(201).send({ token });
    },
  );
  app.delete(
    "/origins/tokens/:id",
    {
      schema: {
        summary: "Revokes a token",
        params: Type.Object({ id: Type.String({ pattern: "^[0-9a-f]{64}$" }) }),
        response: { 204: Nothing },
      },
    },
    async (request, reply) => {
      if (!changes(request).revokeToken(request.params.id))
        throw new BridgeError("AUTH_INVALID", "There is no such token any more.");
      log.info({ token: request.params.id.slice(0, 8) }, "token revoked");
      return reply.code(204).send(undefined);
    },
  );
  app.delete(
    "/pairings",
    {
      schema: {
        summary: "Sends a page away that asks, and leaves its origin as it is",
        querystring: Type.Object(
          { origin: Type.String({ maxLength: 300 }), code: Type.String({ maxLength: 20 }) },
          { additionalProperties: false },
        ),
        response: { 204: Nothing },
      },
    },
    async (request, reply) => {
      const { origin, code } = request.query;
      if (!changes(request).dismiss(readOrigin(origin), code))
        throw new BridgeError("PROTOCOL_ERROR", "No page of this origin waits with this code.", {
          field: "code",
        });
      log.info({ origin }, "page sent away");
      return reply.code(204).send(undefined);
    },
  );
  app.get(
    "/pairings",
    {
      schema: {
        summary: "Pages that ask to be let in",
        response: { 200: PairingList },
      },
    },
    async () => ({
      pairings: access.pairings().map(({ claim: _secret, isKnown: _known, ...pairing }) => pairing),
      crowded: access.crowded().map(({ origin, at }) => ({ origin, at: iso(at) })),
    }),
  );
}
