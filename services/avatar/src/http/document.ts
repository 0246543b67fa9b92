/** An OpenAPI document, as far as it is completed here. */
export type Document = Record<string, unknown>;

interface Reply {
  readonly description?: string;
  readonly content?: object;
  readonly headers?: Readonly<Record<string, Header>>;
}

interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: object;
}

interface Operation {
  readonly responses: Readonly<Record<string, Reply>>;
  readonly requestBody?: object;
}

type Rewrite = (operation: Operation, method: string, path: string) => Operation;

const refusal = (description: string): Reply => ({
  description,
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
});

/** What any route may answer beside its own: a fault, and to a write a body or a page that is not taken. */
const FAULT = { default: refusal("`internal`: a fault of ours, which is in the log") };
/** Whatever needs the database. The health check says it in its own words. */
const AWAY = { 503: refusal("`unavailable`: the database is away, or nothing can draw") };
const OF_WRITES = {
  400: refusal("`bad_json` or `invalid_request`"),
  403: refusal("`bad_origin`: the write comes from a page of somebody else's"),
  413: refusal("`body_too_large`"),
  415: refusal("`unsupported_media_type`"),
};

const text = (description: string, schema: object = {}): Header => ({
  description,
  required: true,
  schema: { type: "string", ...schema },
});

const RETRY_AFTER: Header = {
  description: "In how many seconds it may be tried again.",
  required: true,
  schema: { type: "integer", minimum: 1 },
};
/** Who is asked to come again is told when; who is refused for another reason is not. */
const WAITS: Readonly<Record<string, Readonly<Record<string, Header>>>> = {
  429: { "Retry-After": RETRY_AFTER },
  503: { "Retry-After": { ...RETRY_AFTER, required: false } },
};
const SESSION_COOKIE = (description: string) => ({
  "Set-Cookie": text(description, { pattern: "^avatar_session=" }),
});
const CACHE_CONTROL = text("How long the answer may be kept.", { pattern: "max-age=\\d+" });
const ETAG = text("Names the bytes.", { pattern: '^"[^"]+"$' });

/** Which replies of the session API carry a header that a caller counts on. */
const API_HEADERS: Readonly<Record<string, Readonly<Record<string, Header>>>> = {
  "post /auth/verify 200": SESSION_COOKIE("The sealed session."),
  "post /auth/logout 200": SESSION_COOKIE("Takes the cookie away."),
  "post /auth/logout-everywhere 200": SESSION_COOKIE("Takes the cookie away."),
  "delete /me 200": SESSION_COOKIE("Takes the cookie away."),
  "get /me/export 200": { "Content-Disposition": text("A file to keep.", { pattern: "^attachment" }) },
};
const MEDIA_HEADERS: typeof API_HEADERS = {
  "get /{hash} 200": { ETag: ETAG, "Cache-Control": CACHE_CONTROL },
  "get /{hash} 304": { ETag: ETAG, "Cache-Control": CACHE_CONTROL },
  "get /{hash} 302": { Location: text("The URL in `d`."), "Cache-Control": CACHE_CONTROL },
};

const IMAGE_FORM = {
  required: true,
  content: {
    "multipart/form-data": {
      schema: {
        type: "object",
        required: ["image"],
        properties: { image: { type: "string", format: "binary", description: "At most 2 MB." } },
      },
    },
  },
};
const TAKES_IMAGE = new Set(["/me/avatar/upload", "/me/avatar/from-photo"]);

const SESSION = { session: { type: "apiKey", in: "cookie", name: "avatar_session" } };

/** What the routes of the session API have in common and do not each say. Those that are open to all say so. */
export const completeApiDocument = (document: Document): Document =>
  rewritten(withSession(document), (operation, method, path) =>
    withHeaders(
      {
        ...operation,
        ...(TAKES_IMAGE.has(path) ? { requestBody: IMAGE_FORM } : {}),
        responses: { ...AWAY, ...(method === "get" ? {} : OF_WRITES), ...operation.responses, ...FAULT },
      },
      `${method} ${path}`,
      API_HEADERS,
    ),
  );

export const completeMediaDocument = (document: Document): Document =>
  rewritten(document, (operation, method, path) =>
    withHeaders(
      { ...operation, responses: { ...AWAY, ...operation.responses } },
      `${method} ${path}`,
      MEDIA_HEADERS,
    ),
  );

function withSession(document: Document): Document {
  const components = { ...(document.components as object), securitySchemes: SESSION };
  return { ...document, components, security: [{ session: [] }] };
}

function withHeaders(operation: Operation, name: string, known: typeof API_HEADERS): Operation {
  const responses = Object.entries(operation.responses).map(([status, reply]) => {
    const headers = { ...WAITS[status], ...known[`${name} ${status}`] };
    return [status, Object.keys(headers).length > 0 ? { ...reply, headers } : reply];
  });
  return { ...operation, responses: Object.fromEntries(responses) };
}

function rewritten(document: Document, rewrite: Rewrite): Document {
  const paths = Object.entries(document.paths as Record<string, Record<string, Operation>>);
  return {
    ...document,
    paths: Object.fromEntries(
      paths.map(([path, operations]) => [
        path,
        Object.fromEntries(
          Object.entries(operations).map(([method, operation]) => [method, rewrite(operation, method, path)]),
        ),
      ]),
    ),
  };
}
