import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createLog } from "@frontdesk/kit/log";
import { readSettings } from "@frontdesk/kit/settings";
import { type FakeClock, fakeClock } from "@frontdesk/testkit/clock";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { type AvatarService, createAvatarService } from "../src/avatar.ts";
import { settings } from "../src/settings.ts";
import { directFaces, hashOf } from "./media-fixture.ts";

export const API_URL = "http://api.example";
export const MEDIA_URL = "http://faces.example";

export interface Reply {
  readonly status: number;
  readonly headers: Record<string, string | string[] | number | undefined>;
  readonly bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: a test knows what it asked for
  readonly body: any;
}

export interface Request {
  readonly body?: unknown;
  readonly form?: {
    readonly field?: string;
    readonly bytes: Uint8Array;
    readonly type?: string;
    readonly name?: string;
  };
  readonly headers?: Record<string, string>;
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
}

export interface AvatarUnderTest extends AvatarService {
  readonly clock: FakeClock;
  readonly home: string;
  readonly logLines: string[];
  /** Somebody who has not signed in. */
  stranger(email: string): Person;
  /** Somebody who has. */
  person(email: string): Promise<Person>;
  /** The newest code that was mailed to an address. */
  codeFor(email: string): string;
  mails(): string[];
  image(hash: string, query?: string): Promise<Buffer>;
  metadata(
    hash: string,
  ): Promise<{ has_avatar: boolean; kind: string | null; version: number; updated_at: string | null }>;
}

/** The service as it runs, but for sockets and time. */
export async function avatarUnderTest(
  t: TestContext,
  env: Record<string, string> = {},
  shared: { clock?: FakeClock; home?: string } = {},
): Promise<AvatarUnderTest> {
  const home = shared.home ?? temporaryHome(t);
  const clock = shared.clock ?? fakeClock("2026-05-06T07:08:09Z");
  const logLines: string[] = [];
  const service = await createAvatarService({
    config: readSettings(settings, env, "AVATAR_"),
    mediaUrl: MEDIA_URL,
    apiUrl: env.AVATAR_API_URL ?? API_URL,
    home,
    faces: directFaces,
    clock,
    log: createLog({
      service: "avatar",
      level: "trace",
      settings,
      to: { write: (line) => void logLines.push(line) },
    }),
  });
  t.after(() => service.close());

  const mails = () => {
    const outbox = join(home, "outbox");
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
      call: async (method, path, { body, form, headers = {} } = {}) => {
        const sent = form
          ? formOf(form)
          : body === undefined
            ? {}
            : { payload: JSON.stringify(body), headers: { "content-type": "application/json" } };
        const reply = await service.api.inject({
          method: method as "GET",
          url: path,
          ...(sent.payload === undefined ? {} : { payload: sent.payload }),
          headers: {
            host: "api.example",
            ...(method === "GET" ? {} : { origin: API_URL }),
            ...(person.cookie ? { cookie: person.cookie } : {}),
            ...sent.headers,
            ...headers,
          },
        });
        const given = reply.headers["set-cookie"];
        if (given) person.cookie = String(given).split(";")[0];
        return {
          status: reply.statusCode,
          headers: reply.headers,
          bytes: reply.rawPayload,
          body: bodyOf(reply),
        };
      },
      get: (path) => person.call("GET", path),
      post: (path, body) => person.call("POST", path, body === undefined ? {} : { body }),
      remove: (path, body) => person.call("DELETE", path, body === undefined ? {} : { body }),
      upload: (bytes, path = "/me/avatar/upload") => person.call("POST", path, { form: { bytes } }),
      signIn: async (extra = {}) => {
        await person.post("/auth/code", { email });
        return person.post("/auth/verify", { email, code: codeFor(email), ...extra });
      },
    };
    return person;
  };
  return {
    ...service,
    clock,
    home,
    logLines,
    stranger,
    mails,
    codeFor,
    person: async (email) => {
      const person = stranger(email);
      const { status, body } = await person.signIn();
      if (status !== 200) throw new Error(`${email} could not sign in: ${JSON.stringify(body)}`);
      return person;
    },
    image: async (hash, query = "") => (await service.media.inject(`/${hash}${query}`)).rawPayload,
    metadata: async (hash) => (await service.media.inject(`/${hash}.json`)).json(),
  };
}

export { hashOf };

function bodyOf(reply: { headers: Record<string, unknown>; body: string }): unknown {
  return String(reply.headers["content-type"]).startsWith("application/json")
    ? JSON.parse(reply.body)
    : reply.body;
}

function formOf({
  field = "image",
  bytes,
  type = "application/octet-stream",
  name = "picture",
}: NonNullable<Request["form"]>) {
  const boundary = "----a-boundary-that-no-picture-holds";
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`;
  return {
    payload: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
  };
}
