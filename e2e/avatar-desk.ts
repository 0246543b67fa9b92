import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort } from "@frontdesk/testkit/free-port";
import { serviceProcess } from "@frontdesk/testkit/service-process";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";

const MAIN = fileURLToPath(new URL("../services/avatar/src/main.ts", import.meta.url));

/** The avatar service as `npm start` runs it, on a home and on ports of its own. */
export async function avatarDesk(t: Pick<TestContext, "after">, env: Record<string, string> = {}) {
  const home = temporaryHome(t);
  const [media, api] = [await freePort(), await freePort()];
  const { started, output } = serviceProcess(t, MAIN, {
    FRONTDESK_HOME: home,
    AVATAR_MEDIA_LISTEN: `127.0.0.1:${media}`,
    AVATAR_API_LISTEN: `127.0.0.1:${api}`,
    ...env,
  });
  const { problem } = await started;
  if (problem) throw new Error(`${problem}\n${output()}`);
  return {
    mediaUrl: `http://127.0.0.1:${media}`,
    consoleUrl: `http://127.0.0.1:${api}`,
    /** The code in the newest mail to an address. */
    newestCode: (address: string) => newestCode(join(home, "avatar/outbox"), address),
  };
}

export type AvatarDesk = Awaited<ReturnType<typeof avatarDesk>>;

function newestCode(outbox: string, address: string): string {
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
