import type { Clock } from "@frontdesk/kit/clock";
import { serveConsole } from "@frontdesk/kit/console-files";
import type { HostGuard } from "@frontdesk/kit/host-guard";
import { createHttpServer, type HttpServer } from "@frontdesk/kit/http-server";
import type { Ids } from "@frontdesk/kit/ids";
import { jsonParser } from "@frontdesk/kit/json-parser";
import type { Log } from "@frontdesk/kit/log";
import { authRoutes, sessionRoutes } from "@frontdesk/signin/auth-routes";
import { securityRoutes } from "@frontdesk/signin/security-routes";
import { originGate, sessionGate } from "@frontdesk/signin/session-gate";
import type { ApiParts } from "./api-parts.ts";
import { AvatarConfig, Email, Identity } from "./api-schemas.ts";
import { STATUS_OF } from "./api-statuses.ts";
import { avatarRoutes, publicRoutes } from "./avatar-routes.ts";
import { CONSOLE_PAGES } from "./console-pages.ts";
import { completeApiDocument } from "./document.ts";
import { emailRoutes } from "./email-routes.ts";
import { takeImageForms } from "./image-form.ts";
import { meRoutes } from "./me-routes.ts";
import { platformRoutes } from "./platform-routes.ts";

const COOKIE = "avatar_session";
const GATED = [meRoutes, avatarRoutes, emailRoutes, platformRoutes];

/** `{api_url}`: what needs a session, and the way to get one. */
export async function createApiServer(options: {
  parts: ApiParts;
  publicUrl: string;
  version: string;
  trustedProxies: readonly string[];
  isOurHost: HostGuard | undefined;
  consoleFolder: string;
  health: () => Promise<unknown>;
  clock: Clock;
  log: Log;
  ids: Ids;
}): Promise<HttpServer> {
  const { parts, clock } = options;
  const { signIn, accounts } = parts;
  const app = await createHttpServer({
    ...options,
    title: "Frontdesk avatar: session API",
    description: "Accounts, addresses and saved avatars. Everything but signing in needs the cookie.",
    statusOf: STATUS_OF,
    complete: completeApiDocument,
    headers: { "cache-control": "no-store", "cross-origin-resource-policy": "same-origin" },
  });
  for (const schema of [Email, Identity, AvatarConfig]) app.addSchema(schema);
  // What is called like a prototype is an unknown name like any other, and refused as one.
  app.removeContentTypeParser(["application/json", "text/plain"]);
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, jsonParser(app, "ignore"));
  await takeImageForms(app);
  app.addHook("onRequest", originGate(options.publicUrl));

  publicRoutes(app, parts);
  authRoutes(app, signIn, { cookie: COOKIE, now: clock.now });
  await app.register(async (instance) => {
    const gated = instance as unknown as HttpServer;
    const gate = sessionGate(signIn, clock.now);
    gated.addHook("onRequest", gate);
    gated.addHook("preHandler", async (request) => {
      if (request.body !== undefined) await gate(request);
    });
    sessionRoutes(gated, signIn);
    securityRoutes(gated, signIn, async (id) => (await accounts.get(id)).primaryEmail);
    for (const routes of GATED) routes(gated, { ...parts, stillSignedIn: gate });
  });
  await serveConsole(app, {
    folder: options.consoleFolder,
    pages: CONSOLE_PAGES,
    alsoFrom: [new URL(parts.mediaUrl).origin],
  });
  return app;
}
