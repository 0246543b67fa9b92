import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { HttpServer } from "@frontdesk/kit/http-server";
import { createLog } from "@frontdesk/kit/log";
import { readSettings } from "@frontdesk/kit/settings";
import { type FakeClock, fakeClock } from "@frontdesk/testkit/clock";
import { postgresDatabase } from "@frontdesk/testkit/postgres";
import { s3Server } from "@frontdesk/testkit/s3";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import type { HTTPMethods, InjectOptions } from "fastify";
import { openObjects } from "../src/adapters/open-objects.ts";
import { type AvatarService, createAvatarService } from "../src/avatar.ts";
import type { Objects } from "../src/domain/objects.ts";
import type { Face, Faces } from "../src/domain/read-avatar.ts";
import { renderFace } from "../src/render/render-face.ts";
import { settings } from "../src/settings.ts";
import { hashOf } from "./media-fixture.ts";
import { watchReplies } from "./openapi-check.ts";

export { hashOf };

export const API_URL = "http://api.example";
export const MEDIA_URL = "http://faces.example";

const GENEROUS = "100000";
const LIMITS = {
  AVATAR_MAILS_PER_INBOX: GENEROUS,
  AVATAR_MAILS_PER_SENDER: GENEROUS,
  AVATAR_WRITES: GENEROUS,
  AVATAR_NAMES: GENEROUS,
  AVATAR_PHOTOS: GENEROUS,
  AVATAR_GRANTS: GENEROUS,
  AVATAR_FACTOR_TRIES: GENEROUS,
  AVATAR_GUESSES: GENEROUS,
};

export interface Reply {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: a test knows what it asked for
  readonly body: any;
}

export interface Form {
  readonly field?: string;
  readonly bytes: Uint8Array;
  readonly type?: string;
}

export interface Request {
  readonly body?: unknown;
  readonly text?: string;
  readonly form?: Form;
  readonly headers?: Record<string, string | undefined>;
  readonly from?: string;
}

/** Someone at a browser: keeps its cookie, and says where it comes from. */
export interface Person {
  readonly email: string;
  cookie: string | undefined;
  call(method: string, path: string, request?: Request): Promise<Reply>;
  get(path: string): Promise<Reply>;
  post(path: string, body?: unknown): Promise<Reply>;
  remove(path: string, body?: unknown): Promise<Reply>;
  upload(bytes: Uint8Array, path?: string): Promise<Reply>;
  signIn(extra?: { totp?: string }): Promise<Reply>;
  /** Claims an address and verifies it with the code from the mail. */
  connect(email: string): Promise<Reply>;
}

export interface Metadata {
  readonly has_avatar: boolean;
  readonly kind: string | null;
  readonly version: number;
  readonly updated_at: string | null;
}

export interface AvatarUnderTest {
  /** More than one where several copies run on one database. Requests go to them in turn. */
  readonly copies: readonly AvatarService[];
  readonly clock: FakeClock;
  readonly home: string;
  readonly objects: Objects;
  /** Where the files of the object store are. */
  readonly objectsFolder: string;
  readonly env: Record<string, string>;
  readonly logLines: string[];
  /** Somebody who has not signed in. */
  stranger(email: string): Person;
  /** Somebody who has. */
  person(email: string): Promise<Person>;
  /** The newest code that was mailed to an address. */
  codeFor(email: string): string;
  mails(): string[];
  image(hash: string, query?: string): Promise<Buffer>;
  metadata(hash: string): Promise<Metadata>;
  /** Ends all copies and starts as many anew on what they kept, with settings that differ. */
  restarted(env: Record<string, string>): Promise<AvatarUnderTest>;
}

interface Circumstances {
  readonly copies?: number;
  readonly clock?: FakeClock;
  readonly home?: string;
  /** Where the files of the object store are, if not below the home. */
  readonly objectsFolder?: string;
  /** What draws, if not the rasteriser in this thread. */
  readonly faces?: Faces;
}

/** Where the service's state may be; the suite runs in all of these. */
export const HOMES: Readonly<
  Record<
    string,
    (t: TestContext, env?: Record<string, string>, circumstances?: Circumstances) => Promise<AvatarUnderTest>
  >
> = {
  "SQLite and a folder": (t, env = {}, circumstances = {}) => avatarUnderTest(t, env, circumstances),
  "two copies on PostgreSQL and S3": async (t, env = {}, circumstances = {}) => {
    const { url, folder } = await s3Server(t);
    const peers = { AVATAR_DATABASE_URL: await postgresDatabase(t), AVATAR_OBJECTS_URL: url.href };
    return avatarUnderTest(t, { ...peers, ...env }, { ...circumstances, copies: 2, objectsFolder: folder });
  },
};

/** For what is decided before anything is kept: one of the homes tells as much as all. */
export const anyHome = HOMES["SQLite and a folder"] as (typeof HOMES)[string];

/** The service as it runs, but for sockets and time. */
export async function avatarUnderTest(
  t: TestContext,
  given: Record<string, string> = {},
  {
    copies: howMany = 1,
    clock = fakeClock("2026-05-06T07:08:09Z"),
    home = temporaryHome(t),
    objectsFolder = join(home, "objects"),
    faces = rememberedFaces,
  }: Circumstances = {},
): Promise<AvatarUnderTest> {
  const env: Record<string, string> = { ...LIMITS, ...given };
  const config = readSettings(settings, env, "AVATAR_");
  const logLines: string[] = [];
  const to = { write: (line: string) => void logLines.push(line) };
  const copies: AvatarService[] = [];
  for (let i = 0; i < howMany; i++) {
    const copy = await createAvatarService({
      config,
      mediaUrl: MEDIA_URL,
      apiUrl: env.AVATAR_API_URL ?? API_URL,
      home,
      faces,
      clock,
      log: createLog({ service: "avatar", level: "trace", settings, to }),
    });
    t.after(() => copy.close());
    // No test sees a reply that the OpenAPI document does not foretell.
    for (const app of [copy.api, copy.media]) watchReplies(app);
    copies.push(copy);
  }
  let turn = 0;
  const next = () => copies[turn++ % copies.length] as AvatarService;

  const mails = () => {
    const outbox = join(home, "outbox");
    if (!existsSync(outbox)) return [];
    return readdirSync(outbox)
      .sort()
      .map((name) => readFileSync(join(outbox, name), "utf8"));
  };
  const codeFor = (email: string) => {
    const mail = mails().findLast((text) => text.includes(`To: ${email}`));
    const code = mail && /^ {4}(\d{6})$/m.exec(mail)?.[1];
    if (!code) throw new Error(`no code was mailed to ${email}`);
    return code;
  };
  const stranger = (email: string): Person => {
    const person: Person = {
      email,
      cookie: undefined,
      call: async (method, path, request = {}) => {
        const { payload, headers } = written(request);
        const reply = await ask(next().api, {
          method: method as HTTPMethods,
          url: path,
          ...(payload === undefined ? {} : { payload }),
          ...(request.from ? { remoteAddress: request.from } : {}),
          headers: defined({
            host: "api.example",
            origin: method === "GET" ? undefined : (env.AVATAR_API_URL ?? API_URL),
            cookie: person.cookie,
            ...headers,
            ...request.headers,
          }),
        });
        const cookie = reply.headers["set-cookie"];
        if (cookie) person.cookie = String([cookie].flat()[0]).split(";")[0];
        return reply;
      },
      get: (path) => person.call("GET", path),
      post: (path, body) => person.call("POST", path, { body }),
      remove: (path, body) => person.call("DELETE", path, { body }),
      upload: (bytes, path = "/me/avatar/upload") => person.call("POST", path, { form: { bytes } }),
      signIn: async (extra = {}) => {
        await person.post("/auth/code", { email });
        return person.post("/auth/verify", { email, code: codeFor(email), ...extra });
      },
      connect: async (other) => {
        const added = await person.post("/me/emails", { email: other });
        if (added.status !== 200) return added;
        return person.post("/me/emails/verify", { email: other, code: codeFor(other) });
      },
    };
    return person;
  };
  return {
    copies,
    clock,
    home,
    env,
    logLines,
    objects: await openObjects(config.AVATAR_OBJECTS_URL ?? new URL(`file://${home}/objects/`)),
    objectsFolder,
    stranger,
    mails,
    codeFor,
    person: async (email) => {
      const person = stranger(email);
      const { status, body } = await person.signIn();
      if (status !== 200) throw new Error(`${email} could not sign in: ${JSON.stringify(body)}`);
      return person;
    },
    image: async (hash, query = "") => (await ask(next().media, { url: `/${hash}${query}` })).bytes,
    restarted: async (changed) => {
      for (const copy of copies) await copy.close();
      return avatarUnderTest(t, { ...env, ...changed }, { copies: howMany, clock, home, objectsFolder });
    },
    metadata: async (hash) => (await ask(next().media, { url: `/${hash}.json` })).body,
  };
}

const drawn = new Map<string, Promise<Awaited<ReturnType<Faces["draw"]>>>>();

/** Draws in this thread, and each face once for all tests of a file: drawing has tests of its own. */
export const rememberedFaces: Faces = {
  draw: (face: Face) => {
    const key = JSON.stringify(face);
    const picture = drawn.get(key) ?? Promise.resolve(renderFace(face));
    drawn.set(key, picture);
    return picture;
  },
};

async function ask(app: HttpServer, request: InjectOptions): Promise<Reply> {
  const reply = await app.inject(request);
  const isJson = String(reply.headers["content-type"]).startsWith("application/json");
  const body = isJson ? JSON.parse(reply.body) : reply.body;
  return { status: reply.statusCode, headers: reply.headers, bytes: reply.rawPayload, body };
}

function written({ body, text, form }: Request): {
  payload?: string | Buffer;
  headers?: Record<string, string>;
} {
  if (form) return formOf(form);
  const payload = text ?? (body === undefined ? undefined : JSON.stringify(body));
  return payload === undefined ? {} : { payload, headers: { "content-type": "application/json" } };
}

function formOf({ field = "image", bytes, type = "application/octet-stream" }: Form) {
  const boundary = "----a-boundary-that-no-picture-holds";
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="picture"\r\nContent-Type: ${type}\r\n\r\n`;
  return {
    payload: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
  };
}

function defined(headers: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
}
