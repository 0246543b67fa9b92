import assert from "node:assert/strict";
import type { Mail } from "@frontdesk/kit/mailer";
import { addMember } from "../src/domain/member.ts";
import type { Role } from "../src/domain/records.ts";
import type { Presence, PresenceOptions } from "../src/presence.ts";
import { type DeskUnderTest, deskUnderTest, type Reply } from "./desk-under-test.ts";
import { assertFits } from "./fitting-replies.ts";
import type { Closing } from "./last-in-first-out.ts";

export const APP = "/api/v1/app";
const DOCUMENT = `${APP}/openapi.json`;
export const ORIGIN = "http://presence.example";
const ADDRESS = /^http:\/\/presence\.example/;

/** Asks the session API; paths without a slash in front are those of the organisation `acme`. */
export type Ask = (method: string, path: string, body?: unknown, headers?: object) => Promise<Reply>;

export interface AppUnderTest extends DeskUnderTest {
  readonly mails: Mail[];
  /** Asks with these headers, as whoever they make one. */
  readonly ask: (headers: object, presence?: Presence) => Ask;
  /** Signs in by a code, as a browser does. */
  readonly signIn: (email: string) => Promise<Ask & { readonly cookie: string }>;
  readonly join: (email: string, role: Role, name?: string) => Promise<string>;
}

export async function appUnderTest(
  t: Closing,
  database: (t: Closing) => Promise<URL>,
  options: Partial<PresenceOptions> = {},
): Promise<AppUnderTest> {
  const mails: Mail[] = [];
  const desk = await deskUnderTest(t, database, {
    mailer: async (mail) => void mails.push(mail),
    ...options,
  });
  const ask = (headers: object, presence: Presence = desk): Ask => {
    return async (method, path, body, more = {}) => {
      const url = path.startsWith("/") ? `${APP}${path}` : `${APP}/orgs/acme/${path}`;
      const reply = await presence.app.inject({
        method: method as "GET",
        url: url.replace(ADDRESS, ""),
        headers: { origin: ORIGIN, ...headers, ...more },
        ...(body === undefined ? {} : { body: body as object }),
      });
      const isJson = /json/.test(String(reply.headers["content-type"]));
      const answer = reply.body === "" || !isJson ? reply.body || undefined : JSON.parse(reply.body);
      await assertFits(presence, method, url, reply.statusCode, answer, DOCUMENT);
      return { status: reply.statusCode, headers: reply.headers, body: answer };
    };
  };
  const anyone = ask({});
  return {
    ...desk,
    mails,
    ask,
    signIn: async (email) => {
      assert.equal((await anyone("POST", "/auth/code", { email })).status, 200);
      const code = /^ {4}(\d{6})$/m.exec(mails.at(-1)?.text ?? "")?.[1];
      const { status, headers } = await anyone("POST", "/auth/verify", { email, code });
      assert.equal(status, 200);
      const [cookie = ""] = [headers["set-cookie"]].flat().map((each) => String(each).split(";")[0]);
      return Object.assign(ask({ cookie }), { cookie });
    },
    join: async (email, role, name = "") =>
      (await desk.change((unit) => addMember(unit, { email, name, role }))).id,
  };
}
