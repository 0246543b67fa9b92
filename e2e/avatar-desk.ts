import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort } from "@frontdesk/testkit/free-port";
import { serviceProcess } from "@frontdesk/testkit/service-process";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { checkedFetch } from "../services/avatar/test/openapi-check.ts";

const MAIN = fileURLToPath(new URL("../services/avatar/src/main.ts", import.meta.url));

/** The avatar service as `npm start` runs it, on a home and on ports of its own. */
export async function avatarDesk(t: Pick<TestContext, "after">, env: Record<string, string> = {}) {
  const home = temporaryHome(t);
  const [media, api] = [await freePort(), await freePort()];
  const settings = {
    FRONTDESK_HOME: home,
    AVATAR_MEDIA_LISTEN: `127.0.0.1:${media}`,
    AVATAR_API_LISTEN: `127.0.0.1:${api}`,
    ...env,
  };
  const start = async () => {
    const service = serviceProcess(t, MAIN, settings);
    const { problem } = await service.started;
    if (problem) throw new Error(`${problem}\n${service.output()}`);
    return service;
  };
  let running = await start();
  const consoleUrl = `http://127.0.0.1:${api}`;
  const codeFor = (address: string) => newestCode(join(home, "avatar/outbox"), address);
  const post = async (path: string, body: object, headers: Record<string, string>) => {
    const response = await checkedFetch(`${consoleUrl}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 200, `${path} ${JSON.stringify(body)}: ${await response.clone().text()}`);
    return response;
  };
  /** Signs in without a browser; answers with the cookie. */
  const signInElsewhere = async (email: string, userAgent: string): Promise<string> => {
    const as = { "user-agent": userAgent };
    await post("/auth/code", { email }, as);
    const { headers } = await post("/auth/verify", { email, code: codeFor(email) }, as);
    return headers.get("set-cookie")?.split(";")[0] ?? "";
  };
  return {
    mediaUrl: `http://127.0.0.1:${media}`,
    consoleUrl,
    stop: async () => {
      running.child.kill("SIGTERM");
      await running.ended;
    },
    start: async () => {
      running = await start();
    },
    /** The code in the newest mail to an address. */
    newestCode: codeFor,
    signInElsewhere,
    /** Somebody else, with a face in a style. */
    personWith: async (email: string, collection: string): Promise<void> => {
      const cookie = await signInElsewhere(email, "curl/8");
      await post("/me/avatar", { collection, seed: email }, { cookie });
    },
  };
}

/** The code in the newest mail to an address. */
export function newestCode(outbox: string, address: string): string {
  const mails = readdirSync(outbox)
    .sort()
    .map((file) => readFileSync(join(outbox, file), "utf8"))
    .filter((mail) => new RegExp(`^To: .*${RegExp.escape(address)}`, "im").test(mail));
  const code = /\b\d{6}\b/.exec(
    mails
      .at(-1)
      ?.split(/\r?\n\r?\n/)
      .slice(1)
      .join("\n") ?? "",
  )?.[0];
  if (!code) throw new Error(`there is no mail with a code to ${address}`);
  return code;
}
