import { once as heard } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "@frontdesk/kit/kept-file";
import { StartProblem } from "@frontdesk/kit/problem";
import { runService } from "@frontdesk/kit/service";
import { publicUrl } from "@frontdesk/kit/settings";
import {
  externalApi,
  fillFaces,
  fillLabels,
  fillLeases,
  fillMembers,
  fillToken,
  fillWebhook,
  fillWork,
} from "./fill.ts";
import { PEOPLE, STATUSES } from "./office.ts";
import { createReceiver } from "./receiver.ts";
import { places } from "./services.ts";
import { demoSettings } from "./settings.ts";

const SECRET = "webhook-secret";
const CHANGE_EVERY_MS = 15_000;

/** `npm run demo`: the services with the sample data of an office. It knows them as others do: by HTTP and by their commands. */
await runService({
  name: "demo",
  settings: demoSettings,
  start: async ({ config, log, home, onClose }) => {
    const where = places();
    const kept = createKept(home);
    const receiver = createReceiver(() => kept.read(SECRET));
    const { host, port } = config.DEMO_LISTEN;
    receiver.listen(port, host);
    await heard(receiver, "listening").catch((error) => {
      throw new StartProblem(`${host}:${port} cannot be listened on (${error.message}): set DEMO_LISTEN.`);
    });
    onClose(() => receiver.close().closeAllConnections());
    const receiverUrl = publicUrl(undefined, config.DEMO_LISTEN);

    /** Once in the life of this folder; what a kill interrupts is done again. */
    const once = async (what: string, fill: () => Promise<unknown>): Promise<string> => {
      const earlier = kept.read(what);
      if (earlier !== undefined) return earlier;
      log.info(`making the example office: ${what} …`);
      const made = await fill().catch((error: Error) => {
        throw new StartProblem(`The example office could not be made: ${what} (${error.message}).`);
      });
      kept.write(what, String(made));
      return String(made);
    };
    await once("faces", () => fillFaces(where));
    await once("members", fillMembers);
    await once(SECRET, () => fillWebhook(`${receiverUrl}/`));
    const presence = externalApi(where, await once("token", fillToken));
    await once("work", () => fillWork(presence));
    await once("leases", fillLeases);
    await once("labels", () => fillLabels(where));

    const somebody = () => PEOPLE[Math.floor(Math.random() * PEOPLE.length)]?.email ?? "";
    const change = () =>
      presence
        .setStatus(somebody(), STATUSES[Math.floor(Math.random() * STATUSES.length)] ?? "available")
        .catch((err) => log.warn({ err }, "a status could not be changed"));
    const changing = setInterval(change, CHANGE_EVERY_MS);
    onClose(() => clearInterval(changing));

    return [
      ["office", `${PEOPLE.length} people, whose statuses change every ${CHANGE_EVERY_MS / 1_000} s`],
      ["webhooks", `${receiverUrl}/ shows what was received`],
      ["commands", `FRONTDESK_HOME=${where.home} npx frontdesk …, npx leasectl …`],
      ["start anew", `delete ${where.home}`],
    ];
  },
});

/** Words that are kept in the demo's folder, by name. */
function createKept(folder: string) {
  const fileOf = (name: string) => join(folder, name);
  return {
    read: (name: string): string | undefined =>
      existsSync(fileOf(name)) ? readFileSync(fileOf(name), "utf8") : undefined,
    write: (name: string, text: string) => writeWhole(fileOf(name), text, 0o600),
  };
}
