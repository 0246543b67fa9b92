import type { IncomingMessage, ServerResponse } from "node:http";
import { SECURITY_HEADERS } from "@frontdesk/kit/http-server";
import type { Picture } from "../domain/picture.ts";
import { alreadyHas } from "./etag.ts";

export const FRESH_FOR_MINUTES = "public, max-age=300, stale-while-revalidate=86400";
const FRESH_FOR_EVER = "public, max-age=31536000, immutable";

/** Shown to any page anywhere; no cookie is read here and none is set. */
export const PUBLIC_HEADERS = {
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
};

const { "content-security-policy": POLICY, ...OTHER_SECURITY_HEADERS } = SECURITY_HEADERS;
const STATIC_HEADERS = Object.entries({ ...OTHER_SECURITY_HEADERS, ...PUBLIC_HEADERS }).flat();

/** A drawing runs nothing and loads nothing, even when it is opened as a page. */
const SVG_POLICY = "default-src 'none'; sandbox";

/**
 * Pictures are nearly all of what is asked for, so they go to the socket directly. The headers below
 * are all there are, and as a list of names and values they cost Node the least.
 */
export function sendPicture(
  request: IncomingMessage,
  response: ServerResponse,
  { picture, lasting }: { picture: Picture; lasting: boolean },
  requestId: string,
): void {
  const headers = [
    ...STATIC_HEADERS,
    "content-security-policy",
    picture.type === "image/svg+xml" ? SVG_POLICY : POLICY,
    "x-request-id",
    requestId,
    "cache-control",
    lasting ? FRESH_FOR_EVER : FRESH_FOR_MINUTES,
    "etag",
    picture.etag,
  ];
  if (alreadyHas(request.headers["if-none-match"], picture.etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  headers.push("content-type", picture.type, "content-length", String(picture.bytes.byteLength));
  response.writeHead(200, headers).end(request.method === "HEAD" ? undefined : picture.bytes);
}
