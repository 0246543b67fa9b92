import { join } from "node:path";
import { parseArgs } from "node:util";
import { systemClock } from "@frontdesk/kit/clock";
import { DomainError } from "@frontdesk/kit/domain-error";
import { readEnvironment } from "@frontdesk/kit/environment";
import { createLog } from "@frontdesk/kit/log";
import { StartProblem } from "@frontdesk/kit/problem";
import { houseSettings, readSettings } from "@frontdesk/kit/settings";
import { openStore } from "@frontdesk/store/open-store";
import { migrations } from "./adapters/migrations.ts";
import { createStoreDesk } from "./adapters/store-desk.ts";
import { createStoreReader } from "./adapters/store-reader.ts";
import type { Tables } from "./adapters/tables.ts";
import { createWakeUp } from "./adapters/wake-up.ts";
import { commands, type Tools, usage } from "./commands.ts";
import { createAddressGuard, refusedUrl } from "./delivery/address-guard.ts";
import { ulids } from "./domain/ulid.ts";
import { databaseUrlOf, secretBoxOf, settings, withoutSlash } from "./settings.ts";

/** `npx frontdesk presence …`: works on the same database as the service, which may run or not. */
const given = process.argv.slice(2);
/** Most commands are two words, some are one. */
const length = Object.hasOwn(commands, given[0] ?? "") ? 1 : 2;
const name = given.slice(0, length).join(" ");
const words = given.slice(length);

try {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    const help = ["", "help", "--help", "-h"].includes(given[0] ?? "");
    if (!help) console.error(`"${name}" is not a command of presence.`);
    console[help ? "log" : "error"](usage());
    process.exitCode = help ? 0 : 1;
  } else {
    const { values, positionals } = parseArgs({
      args: words,
      options: Object.fromEntries(command.options.map((name) => [name, { type: "string" as const }])),
      allowPositionals: true,
    });
    if (positionals.length !== command.words.length) {
      throw new DomainError("invalid", `Usage: npx frontdesk presence ${name} ${command.usage}`);
    }
    await withTools((tools) => command.run(tools, positionals, values as Record<string, string>));
  }
} catch (error) {
  const expected =
    error instanceof DomainError ||
    error instanceof StartProblem ||
    String((error as NodeJS.ErrnoException).code).startsWith("ERR_PARSE_ARGS");
  if (!expected) throw error;
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function withTools(work: (tools: Tools) => Promise<void>): Promise<void> {
  const env = readEnvironment();
  const house = readSettings(houseSettings, env, "FRONTDESK_");
  const config = readSettings(settings, env, "PRESENCE_");
  const clock = systemClock;
  const home = join(house.FRONTDESK_HOME, "presence");
  const url = databaseUrlOf(config, home);
  const store = await openStore<Tables>({ url, migrations, clock, mustExist: true });
  const ids = ulids(clock);
  try {
    const avatarUrl = withoutSlash(config.PRESENCE_AVATAR_URL);
    const log = createLog({ service: "presence", level: "silent", settings });
    const wakeUp = createWakeUp(store, "command", log);
    const told: Array<Promise<void>> = [];
    const onEvents = (orgId: string) => void told.push(wakeUp.tell(orgId));
    const desk = createStoreDesk({
      store,
      clock,
      ids,
      avatarUrl,
      secrets: secretBoxOf(config, home),
      onEvents,
    });
    const guard = createAddressGuard(config.PRESENCE_WEBHOOK_ALLOW);
    await work({
      store,
      desk,
      reader: createStoreReader(store),
      clock,
      ids,
      refusedUrl: (address) => refusedUrl(guard, address),
    });
    await Promise.all(told);
  } finally {
    await store.close();
  }
}
