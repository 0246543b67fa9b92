import { createClient } from "./generated/client/index.ts";
import { PresenceApi, type Problem } from "./generated/index.ts";

export * from "./generated/types.gen.ts";

export interface PresenceOptions {
  /** Where the service is, like https://presence.example. */
  readonly url: string;
  readonly org: string;
  readonly token: string;
  readonly fetch?: typeof globalThis.fetch;
}

/** The service refused, or something on the way did; `problem` says why. */
export class PresenceProblem extends Error {
  override name = "PresenceProblem";
  readonly problem: Problem;
  readonly headers: Headers;
  readonly status: number;
  /** When to try again, if the reply said so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(problem: Problem, headers: Headers) {
    super(problem.detail);
    this.problem = problem;
    this.status = problem.status;
    const wait = Number(headers.get("retry-after") ?? Number.NaN);
    this.retryAfterSeconds = Number.isFinite(wait) ? wait : undefined;
    this.headers = headers;
  }
}

/** The generated API of one organisation, with what no document can say: how refusals are thrown. */
export function presenceClient({ url, org, token, fetch }: PresenceOptions): PresenceApi {
  refuseDots({ org });
  const client = createClient({
    baseUrl: `${url.replace(/\/+$/, "")}/api/v1/external/orgs/${encodeURIComponent(org)}`,
    auth: token,
    parseAs: "json",
    throwOnError: true,
    ...(fetch ? { fetch } : {}),
  });
  client.interceptors.request.use((request, { path }) => {
    refuseDots(path ?? {});
    return request;
  });
  client.interceptors.error.use((error, reply) => {
    // Without a whole reply it is the network, or the caller, and is told as it is.
    if (!reply || (reply.ok && !(error instanceof SyntaxError))) return error;
    return new PresenceProblem(!reply.ok && isProblem(error) ? error : unexpected(reply), reply.headers);
  });
  return new PresenceApi({ client });
}

/** `.` and `..` in a path would be taken for other paths, however they are encoded. */
function refuseDots(path: Readonly<Record<string, unknown>>): void {
  for (const part of Object.values(path)) {
    if (part === "." || part === "..") throw new TypeError(`"${part}" cannot be asked for in a path.`);
  }
}

const isProblem = (error: unknown): error is Problem =>
  typeof error === "object" && error !== null && "code" in error;

/** What came instead of a problem of the service: a gateway's page, or nothing. */
function unexpected({ status, statusText }: Response): Problem {
  const title = statusText || "The reply is not one of the service.";
  const detail = `The reply with status ${status} is not one of the service.`;
  return { type: "about:blank", title, status, detail, code: "unexpected_reply" };
}
