import type { Clock } from "@frontdesk/kit/clock";
import type { HostGuard } from "@frontdesk/kit/host-guard";
import { createHttpServer, type HttpServer } from "@frontdesk/kit/http-server";
import type { Ids } from "@frontdesk/kit/ids";
import type { Log } from "@frontdesk/kit/log";
import { documentHandler, type OpenApiDocument } from "@frontdesk/kit/openapi-document";
import type { RatePolicy } from "@frontdesk/kit/sliding-window";
import type { RateWindows } from "../domain/rate-window.ts";
import type { ReadModel } from "../domain/read-model.ts";
import type { TokenUsage } from "../domain/token-holder.ts";
import type { Desk } from "../domain/unit.ts";
import { type AppApiOptions, appApi } from "./app-api.ts";
import { APP_DOCUMENT_PATH, appDocument } from "./app-document.ts";
import { servePages } from "./app-pages.ts";
import { docsPage } from "./docs-page.ts";
import { externalApi } from "./external-api.ts";
import { createGate } from "./gate.ts";
import { completeDocument, DOCUMENT_PATH, INTRODUCTION } from "./openapi.ts";
import { PROBLEM_STATUS, tellProblem } from "./problem.ts";
import { NAMED } from "./replies.ts";

export interface ServerOptions {
  readonly log: Log;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly avatarUrl: string;
  readonly desk: Desk;
  readonly reader: ReadModel;
  readonly usage: TokenUsage;
  readonly windows: RateWindows;
  readonly policy: RatePolicy;
  readonly health: () => Promise<unknown>;
  readonly isOurHost?: HostGuard | undefined;
  /** Proxies whose word is taken for who is calling. */
  readonly trustedProxies: readonly string[];
  readonly app: AppApiOptions;
}

const BODY_LIMIT = 64 * 1024;

export async function createServer(options: ServerOptions): Promise<HttpServer> {
  const app = await createHttpServer({
    log: options.log,
    ids: options.ids,
    title: "Frontdesk Presence",
    description: INTRODUCTION,
    version: "1.0.0",
    publicUrl: options.publicUrl,
    statusOf: PROBLEM_STATUS,
    trustedProxies: options.trustedProxies,
    health: options.health,
    isOurHost: options.isOurHost,
    bodyLimit: BODY_LIMIT,
    tell: tellProblem(options.publicUrl),
    documentPath: DOCUMENT_PATH,
    complete: completeDocument,
  });
  for (const schema of NAMED) app.addSchema(schema);
  await externalApi({ ...options, app, gate: createGate(options) });
  await appApi(app, options.app);
  app.get(
    APP_DOCUMENT_PATH,
    { schema: { hide: true } },
    documentHandler(() => appDocument(app.swagger() as unknown as OpenApiDocument)),
  );
  docsPage(app);
  await servePages(app, options.app.pages, options.avatarUrl, options.app.version);
  return app;
}
