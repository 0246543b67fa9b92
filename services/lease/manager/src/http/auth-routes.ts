import type { HttpServer } from "@frontdesk/kit/http-server";
import { sourceNetwork } from "@frontdesk/signin/source-network";
import { Type } from "typebox";
import { refuse } from "../domain/codes.ts";
import { SESSION_LIFE_MS } from "../domain/sign-in.ts";
import { authorOf, COOKIE, principalOf } from "./gate.ts";
import type { ManagerParts } from "./parts.ts";
import { Login, Me, PasswordChange, SessionView } from "./schemas.ts";

const ATTRIBUTES = "Path=/; HttpOnly; Secure; SameSite=Strict";

export function authRoutes(app: HttpServer, { signIn, users }: ManagerParts): void {
  app.post(
    "/api/v1/auth/login",
    {
      schema: {
        operationId: "signIn",
        summary: "Start a session",
        tags: ["session"],
        security: [],
        body: Login,
        response: { 200: Me },
      },
    },
    async (request, reply) => {
      const { username, password } = request.body;
      const { secret, user } = await signIn.signIn(username, password, sourceNetwork(request.ip).host);
      // Whoever was signed in here before is not any more, and no cookie planted before is taken over.
      if (request.principal?.sessionId) await signIn.signOut(request.principal.sessionId);
      reply.header("set-cookie", `${COOKIE}=${secret}; ${ATTRIBUTES}; Max-Age=${SESSION_LIFE_MS / 1000}`);
      return { user: { username: user.username, role: user.role } };
    },
  );

  app.post(
    "/api/v1/auth/logout",
    {
      schema: {
        operationId: "signOut",
        summary: "End the session",
        tags: ["session"],
        security: [],
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      if (request.principal?.sessionId) await signIn.signOut(request.principal.sessionId);
      reply.header("set-cookie", `${COOKIE}=; ${ATTRIBUTES}; Max-Age=0`);
      return reply.code(204).send(null);
    },
  );

  app.get(
    "/api/v1/auth/me",
    {
      schema: {
        operationId: "whoAmI",
        summary: "Who is signed in",
        tags: ["session"],
        response: { 200: Me },
      },
    },
    async (request) => {
      const { user, actor, role } = principalOf(request);
      return { user: { username: user?.username ?? actor, role } };
    },
  );

  app.get(
    "/api/v1/auth/session",
    {
      schema: {
        operationId: "getSession",
        summary: "Who is signed in, or null: that nobody is, is an answer and no failure",
        tags: ["session"],
        security: [],
        response: { 200: SessionView },
      },
    },
    async ({ principal }) => ({
      user: principal
        ? { username: principal.user?.username ?? principal.actor, role: principal.role }
        : null,
    }),
  );

  app.put(
    "/api/v1/auth/password",
    {
      schema: {
        operationId: "changePassword",
        summary: "Change one's own password; all other sessions end",
        tags: ["session"],
        body: PasswordChange,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request);
      const { password, new_password } = request.body;
      if (!principal.user) return refuse("forbidden");
      const { username } = principal.user;
      const known = await signIn.check(username, password, sourceNetwork(request.ip).host);
      await users.changePassword(authorOf(request), known, new_password);
      return reply.code(204).send(null);
    },
  );
}
