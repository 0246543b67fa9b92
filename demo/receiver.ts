import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";

const MAX_KEPT = 100;
const MAX_BODY = 256 * 1024;

/**
 * What another system would be: it takes webhooks, believes those alone that are signed, and shows what it heard, the
 * newest first.
 */
export function createReceiver(secretOf: () => string | undefined): Server {
  const heard: string[] = [];
  return createServer(async (request, reply) => {
    if (request.method !== "POST")
      return void reply.setHeader("content-type", "text/plain; charset=utf-8").end(shown(heard));
    const body = await bodyOf(request);
    const secret = secretOf();
    if (body === undefined || secret === undefined || !isSigned(request, body, secret))
      return void reply.writeHead(400).end();
    const told = lineOf(body);
    if (told === undefined) return void reply.writeHead(400).end();
    heard.unshift(told);
    heard.splice(MAX_KEPT);
    reply.writeHead(204).end();
  });
}

const shown = (heard: readonly string[]): string =>
  `Webhooks that presence sent and whose signature was right, the newest first.\n\n${heard.join("\n")}\n`;

/** Undefined where it is no event. */
function lineOf(body: Buffer): string | undefined {
  try {
    const { type, occurredAt, data } = JSON.parse(body.toString());
    return `${occurredAt}  ${type}  ${JSON.stringify(data)}`;
  } catch {
    return undefined;
  }
}

/** Undefined where it is too large, or breaks off. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of request) {
      size += part.length;
      if (size > MAX_BODY) return undefined;
      parts.push(part);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(parts);
}

function isSigned({ headers }: IncomingMessage, body: Buffer, secret: string): boolean {
  const wanted = Buffer.from(`sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
  return String(headers["x-service-signature"] ?? "")
    .split(",")
    .map((signature) => Buffer.from(signature))
    .some((given) => given.length === wanted.length && timingSafeEqual(given, wanted));
}
