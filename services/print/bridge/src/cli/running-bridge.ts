import { existsSync, readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { checkServerIdentity } from "node:tls";
import { authorityPath } from "@frontdesk/kit/local-ca";
import type { Configuration } from "./configuration.ts";

const ANSWER_MS = 2_000;
const MAX_ANSWER = 16 * 1024 * 1024;
/** Every certificate of this home's authority is for it, whatever address the bridge listens on. */
const NAME = "localhost";

/** Who listens on all addresses is reached on loopback. */
const EVERYWHERE: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
]);

/**
 * Asks the administration of the bridge that runs on this home; undefined where none runs. Whoever else holds
 * the port cannot show a certificate of this home's authority, and is shown no token.
 */
export async function askRunningBridge<T>(
  { home, settings }: Pick<Configuration, "home" | "settings">,
  path: string,
): Promise<T | undefined> {
  const tokenFile = join(home, "admin-token");
  if (!existsSync(tokenFile) || !existsSync(authorityPath(home))) return undefined;
  const { host, port } = settings().PRINT_LISTEN;
  const asking = request({
    host: EVERYWHERE.get(host) ?? host,
    port,
    path: `/api/v1/admin/${path}`,
    ca: readFileSync(authorityPath(home)),
    servername: NAME,
    checkServerIdentity: (_host, certificate) => checkServerIdentity(NAME, certificate),
    headers: {
      host: `${NAME}:${port}`,
      authorization: `Bearer ${readFileSync(tokenFile, "utf8").trim()}`,
    },
    signal: AbortSignal.timeout(ANSWER_MS),
    agent: false,
  });
  try {
    return (await answerTo(asking)) as T | undefined;
  } catch {
    return undefined;
  }
}

function answerTo(asking: ReturnType<typeof request>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    asking.on("error", reject);
    asking.on("response", async (response) => {
      try {
        let text = "";
        for await (const piece of response.setEncoding("utf8")) {
          text += piece;
          if (text.length > MAX_ANSWER) throw new Error("the answer has no end");
        }
        resolve(response.statusCode === 200 ? JSON.parse(text) : undefined);
      } catch (error) {
        reject(error);
      }
    });
    asking.end();
  });
}
