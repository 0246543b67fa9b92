import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FastifyError, FastifyReply } from "fastify";
import { Type } from "typebox";
import { DomainError } from "./domain-error.ts";
import { hangUp } from "./hang-up.ts";

/** What went wrong, before it is put into words for the caller. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  /** Missing where there was no request yet: what came was not HTTP. */
  readonly requestId?: string;
  /** Missing where nothing was thrown: no such path. */
  readonly error?: Error;
}

export interface ToldRefusal {
  readonly status: number;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

/** Answers a request with a refusal. */
export type Refuse = (reply: FastifyReply, refusal: Refusal) => FastifyReply;

export const tellError = ({ status, code }: Refusal): ToldRefusal => ({
  status,
  contentType: "application/json; charset=utf-8",
  body: { error: code },
});

export const ErrorBody = Type.Object(
  { error: Type.String({ description: "An error identifier, for instance `rate_limited`." }) },
  { $id: "Error", additionalProperties: false },
);

/** For a route's `response` schema: a refusal, and when it comes. */
export const errorReply = (description: string) => ({ description, $ref: "Error#" });

/** Fastify's own refusals, in our words. Anything that is not listed keeps its status. */
const FASTIFY_CODES: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: "bad_url",
  FST_ERR_CTP_BODY_TOO_LARGE: "body_too_large",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "unsupported_media_type",
  FST_ERR_CTP_INVALID_JSON_BODY: "bad_json",
  FST_ERR_CTP_EMPTY_JSON_BODY: "bad_json",
  FST_ERR_VALIDATION: "invalid_request",
};

/** What an error is for whoever asked; `statusOf`: the status of each refusal of the domain. */
export function refusalOf(
  error: FastifyError | Error,
  statusOf: Readonly<Record<string, number>>,
): Pick<Refusal, "status" | "code"> {
  if (error instanceof DomainError) {
    const { code } = error;
    // A database that is away, whichever service asks it.
    const status = Object.hasOwn(statusOf, code) ? statusOf[code] : code === "unavailable" ? 503 : 500;
    return { status: status ?? 500, code };
  }
  const { statusCode = 500, code = "" } = error as Partial<FastifyError>;
  if (statusCode >= 500) return { status: 500, code: "internal" };
  return { status: statusCode, code: FASTIFY_CODES[code] ?? "bad_request" };
}

/** A request that is not HTTP, or whose head is too large or too slow: there is no reply object yet. */
export function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  tell: (refusal: Refusal) => ToldRefusal,
): void {
  if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) return void socket.destroy();
  const [status, code] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? [431, "headers_too_large"]
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? [408, "request_timeout"]
        : [400, "bad_request"];
  const told = tell({ status, code });
  const body = JSON.stringify(told.body);
  hangUp(
    socket,
    `HTTP/1.1 ${told.status} ${STATUS_CODES[told.status]}\r\nContent-Type: ${told.contentType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
