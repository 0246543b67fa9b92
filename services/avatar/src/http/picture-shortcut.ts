import type { IncomingMessage } from "node:http";
import { parse } from "node:querystring";
import type { Shortcut } from "@frontdesk/kit/http-server";
import type { Ids } from "@frontdesk/kit/ids";
import { parseIdentityHash } from "@frontdesk/signin/identity-hash";
import type { ReadAnswer, Reads } from "../domain/read-avatar.ts";
import { parseReadRequest, type Query, type ReadRequest } from "../domain/read-request.ts";
import type { AllowsHost } from "../domain/redirect-target.ts";
import { sendPicture } from "./picture-reply.ts";

/** A read as nearly every page writes it: nothing to decode, nothing to wonder about. */
const PLAIN_READ = /^\/([0-9a-fA-F]{64})(?:\?([\w=&.-]{0,100}))?$/;
const MAX_QUERIES = 1_000;

/** Reads that were begun before the router got the request. */
export type BegunReads = WeakMap<IncomingMessage, Promise<ReadAnswer>>;

/**
 * Plain reads that end in a picture are answered without the router, whose objects cost as much as
 * the rest of the answer. All others are the router's; a read that ends otherwise, or fails, is handed
 * on to it with its outcome, so that nothing is looked up twice.
 */
export function pictureShortcut(options: {
  reads: Reads;
  allowsHost: AllowsHost;
  ids: Ids;
  begun: BegunReads;
}): Shortcut {
  const queries = new Map<string, ReadRequest>();

  function requestOf(query: string): ReadRequest {
    const known = queries.get(query);
    if (known) return known;
    const request = parseReadRequest(parse(query) as Query, options.allowsHost);
    if (queries.size >= MAX_QUERIES) queries.clear();
    queries.set(query, request);
    return request;
  }

  return (request, response, route) => {
    const { method, url = "" } = request;
    const plain = method === "GET" || method === "HEAD" ? PLAIN_READ.exec(url) : null;
    const hash = plain && parseIdentityHash(plain[1] as string);
    if (!hash) return route();
    const asked = requestOf(plain[2] ?? "");
    const reading = options.reads.read(hash, asked);
    const handOn = () => {
      options.begun.set(request, reading);
      route();
    };
    reading.then((answer) => {
      if (answer.kind === "picture") sendPicture(request, response, answer, options.ids.next());
      else handOn();
    }, handOn);
  };
}
