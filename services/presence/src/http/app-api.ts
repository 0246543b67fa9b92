import type { HttpServer } from "@frontdesk/kit/http-server";
import { authRoutes, sessionRoutes } from "@frontdesk/signin/auth-routes";
import { securityRoutes } from "@frontdesk/signin/security-routes";
import { appAccessRoutes } from "./app-access-routes.ts";
import { APP_BASE } from "./app-base.ts";
import { appBoardRoutes } from "./app-board-routes.ts";
import { appCalendarRoutes } from "./app-calendar-routes.ts";
import { appFollowRoutes } from "./app-follow-routes.ts";
import { addAppGate } from "./app-gate.ts";
import { appMeRoutes } from "./app-me-routes.ts";
import { appMemberRoutes } from "./app-member-routes.ts";
import type { AppParts, AppRoutes } from "./app-parts.ts";
import { appShareRoutes } from "./app-share-routes.ts";
import { appSharedRoutes } from "./app-shared-routes.ts";
import { appStatusRoutes } from "./app-status-routes.ts";
import { appTodoRoutes } from "./app-todo-routes.ts";
import { appVocabularyRoutes } from "./app-vocabulary-routes.ts";
import { appWebhookRoutes } from "./app-webhook-routes.ts";
import { speakJson } from "./json-bodies.ts";

export const SESSION_COOKIE = "presence_session";

export type AppApiOptions = AppParts;

const ROUTES: readonly AppRoutes[] = [
  appMeRoutes,
  appBoardRoutes,
  appFollowRoutes,
  appStatusRoutes,
  appCalendarRoutes,
  appTodoRoutes,
  appShareRoutes,
  appSharedRoutes,
  appMemberRoutes,
  appVocabularyRoutes,
  appAccessRoutes,
  appWebhookRoutes,
];

/** The web app's session API, whose every route passes the gate. */
export async function appApi(server: HttpServer, parts: AppApiOptions): Promise<void> {
  await server.register(
    async (instance) => {
      const app = instance as unknown as HttpServer;
      speakJson(app);
      addAppGate(app, parts);
      app.addHook("onSend", async (_request, reply) => {
        // What is told to one person is kept by nobody, unless a route says otherwise.
        if (!reply.hasHeader("cache-control")) reply.header("cache-control", "no-store");
        reply.header("x-robots-tag", "noindex");
        reply.header("cross-origin-resource-policy", "same-origin");
      });
      authRoutes(app, parts.signIn, { cookie: SESSION_COOKIE, now: parts.clock.now });
      sessionRoutes(app, parts.signIn);
      securityRoutes(app, parts.signIn, async (email) => email);
      for (const routes of ROUTES) routes(app, parts);
    },
    { prefix: APP_BASE },
  );
  server.addHook("preClose", async () => parts.streams.endAll());
}
