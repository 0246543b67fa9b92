import type { HttpServer } from "@frontdesk/kit/http-server";
import { Type } from "typebox";
import { refuse } from "../domain/codes.ts";
import type { Token, User } from "../domain/rows.ts";
import { authorOf } from "./gate.ts";
import { type ManagerParts, timeOrNull, timeText } from "./parts.ts";
import {
  AuditPage,
  AuditQuery,
  MadeToken,
  NewToken,
  NewUser,
  TokenList,
  type TokenView,
  UserChange,
  UserList,
  UserPath,
  UserView,
} from "./schemas.ts";

const AUDIT_PAGE = 100;

export function userRoutes(app: HttpServer, { users, desk }: ManagerParts): void {
  app.get(
    "/api/v1/users",
    {
      schema: { operationId: "listUsers", summary: "Accounts", tags: ["users"], response: { 200: UserList } },
    },
    async () => ({ items: (await users.list()).map(userView) }),
  );

  app.post(
    "/api/v1/users",
    {
      schema: {
        operationId: "addUser",
        summary: "Add an account",
        tags: ["users"],
        body: NewUser,
        response: { 201: UserView },
      },
    },
    async (request, reply) => {
      const { username, password, role } = request.body;
      const user = await users.add(authorOf(request), username, password, role);
      return reply.code(201).send(userView(user));
    },
  );

  app.patch(
    "/api/v1/users/:username",
    {
      schema: {
        operationId: "changeUser",
        summary: "Give an account another role or password",
        tags: ["users"],
        params: UserPath,
        body: UserChange,
        response: { 200: UserView },
      },
    },
    async (request) => userView(await users.change(authorOf(request), request.params.username, request.body)),
  );

  app.delete(
    "/api/v1/users/:username",
    {
      schema: {
        operationId: "removeUser",
        summary: "Remove an account; its sessions end",
        tags: ["users"],
        params: UserPath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await users.remove(authorOf(request), request.params.username);
      return reply.code(204).send(null);
    },
  );

  app.get(
    "/api/v1/tokens",
    {
      schema: {
        operationId: "listTokens",
        summary: "Tokens of programs",
        tags: ["users"],
        response: { 200: TokenList },
      },
    },
    async () => ({ items: (await users.tokens()).map(tokenView) }),
  );

  app.post(
    "/api/v1/tokens",
    {
      schema: {
        operationId: "addToken",
        summary: "Make a token; it is told this once",
        tags: ["users"],
        body: NewToken,
        response: { 201: MadeToken },
      },
    },
    async (request, reply) => {
      const { name, role, expires_at = null } = request.body;
      const expiresAt = expires_at === null ? null : Date.parse(expires_at);
      if (Number.isNaN(expiresAt)) return refuse("token_expired_already");
      const { token, secret } = await users.addToken(authorOf(request), name, role, expiresAt);
      return reply.code(201).send({ ...tokenView(token), token: secret });
    },
  );

  app.delete(
    "/api/v1/tokens/:id",
    {
      schema: {
        operationId: "revokeToken",
        summary: "Revoke a token, and what it made",
        tags: ["users"],
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await users.removeToken(authorOf(request), request.params.id);
      return reply.code(204).send(null);
    },
  );

  app.get(
    "/api/v1/audit",
    {
      schema: {
        operationId: "listAudit",
        summary: "Who changed what, newest first",
        tags: ["users"],
        querystring: AuditQuery,
        response: { 200: AuditPage },
      },
    },
    async ({ query }) => {
      const limit = query.limit ?? AUDIT_PAGE;
      const rows = await desk.read.audit.page(query.cursor, limit);
      const next = rows.length === limit ? (rows.at(-1)?.id ?? null) : null;
      return { items: rows.map((row) => ({ ...row, at: timeText(row.at) })), next_cursor: next };
    },
  );
}

const userView = (user: User): UserView => ({
  username: user.username,
  role: user.role,
  created_at: timeText(user.createdAt),
  last_sign_in_at: timeOrNull(user.lastSignInAt),
});

const tokenView = (token: Token): TokenView => ({
  id: token.id,
  name: token.name,
  role: token.role,
  created_by: token.createdBy,
  created_at: timeText(token.createdAt),
  expires_at: timeOrNull(token.expiresAt),
  last_used_at: timeOrNull(token.lastUsedAt),
});
