import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { systemClock } from "@frontdesk/kit/clock";
import { type Commands, command, runCommandLine } from "@frontdesk/kit/command-line";
import { readEnvironment } from "@frontdesk/kit/environment";
import { randomIds } from "@frontdesk/kit/ids";
import { createLog } from "@frontdesk/kit/log";
import { createOutbox } from "@frontdesk/kit/outbox";
import { houseSettings, readSettings } from "@frontdesk/kit/settings";
import { parseEmailAddress } from "@frontdesk/signin/email-address";
import { openStore } from "@frontdesk/store/open-store";
import { storeCounts } from "./adapters/counts.ts";
import { migrations } from "./adapters/migrations.ts";
import { createObjectShelf } from "./adapters/object-shelf.ts";
import { openObjects } from "./adapters/open-objects.ts";
import { storeLedger } from "./adapters/store-rows.ts";
import type { Tables } from "./adapters/tables.ts";
import { createPersonalData, type PersonalData } from "./domain/personal-data.ts";
import { createPlatform, type Platform } from "./domain/platform.ts";
import { databaseUrlOf, settings } from "./settings.ts";

interface Tools {
  readonly backup: (to: string) => Promise<void>;
  readonly platform: Platform;
  readonly personalData: PersonalData;
}

const COMMANDS: Commands<Tools> = {
  "admin grant": command(
    "<email>",
    "make the account that has verified an address an admin",
    async ({ platform }, [email = ""]) => {
      const admin = await platform.grant(parseEmailAddress(email));
      return `${admin.email} is an admin.`;
    },
  ),
  "admin revoke": command("<email>", "take an admin's rights away", async ({ platform }, [word = ""]) => {
    const email = parseEmailAddress(word);
    await platform.revoke((await platform.accountOf(email)).id, undefined);
    return `${email} is no admin any more.`;
  }),
  "admin list": command("", "every admin, and by what", async ({ platform }) => {
    const admins = await platform.admins();
    return admins.map(({ email, name, source, granted_at }) => ({ email, name, source, granted_at }));
  }),
  purge: command(
    "<email>",
    "forget an address: its avatar, its claims, and its account if it has no other address",
    async ({ personalData }, [word = ""]) => {
      const email = parseEmailAddress(word);
      const done = await personalData.purge(email);
      if (done === "nothing") return `Nothing is held about ${email}.`;
      return done === "account" ? `${email} is forgotten, and its account.` : `${email} is forgotten.`;
    },
  ),
  backup: command(
    "<file>",
    "write a whole copy of the database while it is in use; copy the folder objects beside it",
    async ({ backup }, [to = ""]) => {
      await backup(to);
      return `The database is copied to ${to}.`;
    },
  ),
};

/** `npx frontdesk avatar …`: works on the same database as the service, which may run or not. */
process.exitCode = await runCommandLine(
  { program: "npx frontdesk avatar", commands: COMMANDS, withTools },
  process.argv.slice(2),
);

async function withTools<T>(work: (tools: Tools) => Promise<T>): Promise<T> {
  const env = readEnvironment();
  const house = readSettings(houseSettings, env, "FRONTDESK_");
  const config = readSettings(settings, env, "AVATAR_");
  const home = join(house.FRONTDESK_HOME, "avatar");
  const clock = systemClock;
  const url = databaseUrlOf(config, home);
  const store = await openStore<Tables>({ url, migrations, clock, mustExist: true });
  try {
    const objects = await openObjects(config.AVATAR_OBJECTS_URL ?? pathToFileURL(join(home, "objects/")));
    const log = createLog({ service: "avatar", level: "silent", settings });
    const shelf = createObjectShelf({ store, objects, clock, ids: randomIds, log });
    const ledger = storeLedger(store);
    const done = await work({
      backup: (to) => store.backup(to),
      platform: createPlatform({ ledger, count: storeCounts(store), named: config.AVATAR_ADMINS, clock }),
      personalData: createPersonalData({
        ledger,
        shelf,
        clock,
        deleteMails: createOutbox(join(home, "outbox")).deleteTo,
      }),
    });
    await shelf.idle();
    return done;
  } finally {
    await store.close();
  }
}
