import { DomainError } from "@frontdesk/kit/domain-error";
import { createHttpServer, type HttpServer } from "@frontdesk/kit/http-server";
import type { Ids } from "@frontdesk/kit/ids";
import type { Log } from "@frontdesk/kit/log";
import { errorReply } from "@frontdesk/kit/refusal";
import { parseIdentityHash } from "@frontdesk/signin/identity-hash";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Attributions } from "../domain/attribution.ts";
import type { Reads } from "../domain/read-avatar.ts";
import { parseReadRequest, type Query } from "../domain/read-request.ts";
import type { AllowsHost } from "../domain/redirect-target.ts";
import { creditsPage } from "./credits-page.ts";
import { completeMediaDocument } from "./document.ts";
import { FRESH_FOR_MINUTES, PUBLIC_HEADERS, sendPicture } from "./picture-reply.ts";
import { type BegunReads, pictureShortcut } from "./picture-shortcut.ts";
import { HashParams, Metadata, ReadQuery } from "./schemas.ts";

const STATUS_OF = { malformed_hash: 400, overloaded: 503, unavailable: 503 };

/** `{media_url}`: the public, read-only surface. */
export async function createMediaServer(options: {
  reads: Reads;
  allowsHost: AllowsHost;
  attributions: Attributions;
  publicUrl: string;
  version: string;
  health: () => Promise<unknown>;
  log: Log;
  ids: Ids;
}): Promise<HttpServer> {
  const begun: BegunReads = new WeakMap();
  const app = await createHttpServer({
    ...options,
    title: "Frontdesk avatar: public reads",
    description: "Square images keyed by the SHA-256 of an e-mail address.",
    statusOf: STATUS_OF,
    headers: PUBLIC_HEADERS,
    complete: completeMediaDocument,
    shortcut: pictureShortcut({ ...options, begun }),
  });
  const readImage = async (request: FastifyRequest, reply: FastifyReply) => {
    const hash = hashOf(request);
    const asked = parseReadRequest(request.query as Query, options.allowsHost);
    const answer = await (begun.get(request.raw) ?? options.reads.read(hash, asked));
    switch (answer.kind) {
      case "picture":
        reply.hijack();
        return sendPicture(request.raw, reply.raw, answer, request.id);
      case "redirect":
        return reply.header("cache-control", FRESH_FOR_MINUTES).redirect(answer.to, 302);
      case "nothing":
        return reply.header("cache-control", FRESH_FOR_MINUTES).code(404).send({ error: "not_found" });
    }
  };
  const readMetadata = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header("cache-control", "no-cache");
    return options.reads.metadata(hashOf(request));
  };

  const image = {
    summary: "The avatar of a hash, as an image",
    params: HashParams,
    querystring: ReadQuery,
    response: {
      200: { description: "The image", content: imageContent("image/png", "image/svg+xml", "image/gif") },
      302: { description: "To the URL in `d`", type: "null" },
      304: { description: "The caller has it already", type: "null" },
      400: errorReply("The hash is malformed"),
      404: errorReply("Only with `d=404`: nothing is saved"),
      503: errorReply("`overloaded`: too many drawings are waiting; `unavailable`: nothing can draw"),
    },
  };
  const metadata = {
    summary: "What is known of a hash's avatar",
    params: HashParams,
    response: { 200: Metadata, 400: errorReply("The hash is malformed") },
  };
  // The schemas of reads describe; they refuse nothing. A read never fails over a parameter.
  const anything = { validatorCompiler: () => () => true };
  app.get("/:hash", { schema: image, ...anything }, readImage);
  app.get("/:hash.json", { schema: metadata, ...anything }, readMetadata);
  const alias = { schema: { hide: true } };
  app.get("/:hash.png", alias, readImage);
  app.get("/avatar/:hash", alias, readImage);
  app.get("/avatar/:hash.png", alias, readImage);
  app.get("/avatar/:hash.json", alias, readMetadata);

  app.get("/credits", alias, (_request, reply) =>
    reply
      .type("text/html; charset=utf-8")
      .header(
        "content-security-policy",
        "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
      )
      .send(creditsPage(options.attributions)),
  );
  app.get("/", alias, (_request, reply) => reply.redirect("/credits", 302));
  return app;
}

function hashOf(request: FastifyRequest) {
  const hash = parseIdentityHash((request.params as { hash: string }).hash);
  if (!hash) throw new DomainError("malformed_hash");
  return hash;
}

function imageContent(...types: string[]) {
  return Object.fromEntries(types.map((type) => [type, { schema: Type.String({ format: "binary" }) }]));
}
