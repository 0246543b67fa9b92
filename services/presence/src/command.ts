import { join } from "node:path";
import { systemClock } from "@frontdesk/kit/clock";
import { runCommandLine } from "@frontdesk/kit/command-line";
import { readEnvironment } from "@frontdesk/kit/environment";
import { createLog } from "@frontdesk/kit/log";
import { houseSettings, readSettings } from "@frontdesk/kit/settings";
import { openStore } from "@frontdesk/store/open-store";
import { migrations } from "./adapters/migrations.ts";
import { createStoreDesk } from "./adapters/store-desk.ts";
import { createStoreReader } from "./adapters/store-reader.ts";
import type { Tables } from "./adapters/tables.ts";
import { createWakeUp } from "./adapters/wake-up.ts";
import { commands, type Tools } from "./commands.ts";
import { createAddressGuard, refusedUrl } from "./delivery/address-guard.ts";
import { ulids } from "./domain/ulid.ts";
import { databaseUrlOf, secretBoxOf, settings, withoutSlash } from "./settings.ts";

/** `npx frontdesk presence …`: works on the same database as the service, which may run or not. */
process.exitCode = await runCommandLine(
  { program: "npx frontdesk presence", commands, withTools },
  process.argv.slice(2),
);

async function withTools<T>(work: (tools: Tools) => Promise<T>): Promise<T> {
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
    const done = await work({
      store,
      desk,
      reader: createStoreReader(store),
      clock,
      ids,
      refusedUrl: (address) => refusedUrl(guard, address),
    });
    await Promise.all(told);
    return done;
  } finally {
    await store.close();
  }
}
