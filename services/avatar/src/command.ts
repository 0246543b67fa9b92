import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { systemClock } from "@frontdesk/kit/clock";
import { DomainError } from "@frontdesk/kit/domain-error";
import { readEnvironment } from "@frontdesk/kit/environment";
import { randomIds } from "@frontdesk/kit/ids";
import { createLog } from "@frontdesk/kit/log";
import { createOutbox } from "@frontdesk/kit/outbox";
import { StartProblem } from "@frontdesk/kit/problem";
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
import { settings } from "./settings.ts";

interface Tools {
  readonly backup: (to: string) => Promise<void>;
  readonly platform: Platform;
  readonly personalData: PersonalData;
}

interface Command {
  readonly usage: string;
  readonly about: string;
  readonly words: number;
  readonly run: (tools: Tools, word: string) => Promise<string>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  "admin grant": {
    usage: "admin grant <email>",
    about: "make the account that has verified an address an admin",
    words: 1,
    run: async ({ platform }, email) => {
      const admin = await platform.grant(parseEmailAddress(email));
      return `${admin.email} is an admin.`;
    },
  },
  "admin revoke": {
    usage: "admin revoke <email>",
    about: "take an admin's rights away",
    words: 1,
    run: async ({ platform }, word) => {
      const email = parseEmailAddress(word);
      await platform.revoke((await platform.accountOf(email)).id, undefined);
      return `${email} is no admin any more.`;
    },
  },
  "admin list": {
    usage: "admin list",
    about: "every admin, and by what",
    words: 0,
    run: async ({ platform }) => {
      const admins = await platform.admins();
      return admins
        .map(({ email, name, source, granted_at }) => [email, name, source, granted_at ?? "-"].join("\t"))
        .join("\n");
    },
  },
  backup: {
    usage: "backup <file>",
    about: "write a whole copy of the database while it is in use; copy the folder objects beside it",
    words: 1,
    run: async ({ backup }, to) => {
      await backup(to);
      return `The database is copied to ${to}.`;
    },
  },
  purge: {
    usage: "purge <email>",
    about: "forget an address: its avatar, its claims, and its account if it has no other address",
    words: 1,
    run: async ({ personalData }, word) => {
      const email = parseEmailAddress(word);
      const done = await personalData.purge(email);
      if (done === "nothing") return `Nothing is held about ${email}.`;
      return done === "account" ? `${email} is forgotten, and its account.` : `${email} is forgotten.`;
    },
  },
};

/** `npx frontdesk avatar …`: works on the same database as the service, which may run or not. */
const words = process.argv.slice(2);
const name = words[0] === "admin" ? words.slice(0, 2).join(" ") : (words[0] ?? "");
const given = words.slice(name.split(" ").length);

try {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    const help = ["", "help", "--help", "-h"].includes(name);
    if (!help) console.error(`"${words.join(" ")}" is not a command of avatar.`);
    console[help ? "log" : "error"](usage());
    process.exitCode = help ? 0 : 1;
  } else if (given.length !== command.words) {
    throw new StartProblem(`Usage: npx frontdesk avatar ${command.usage}`);
  } else {
    const told = await withTools((tools) => command.run(tools, given[0] ?? ""));
    if (told) console.log(told);
  }
} catch (error) {
  if (!(error instanceof DomainError || error instanceof StartProblem)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function usage(): string {
  const rows = Object.values(COMMANDS).map(({ usage, about }) => `  ${usage.padEnd(24)} ${about}`);
  return ["npx frontdesk avatar <command>", ...rows].join("\n");
}

async function withTools<T>(work: (tools: Tools) => Promise<T>): Promise<T> {
  const env = readEnvironment();
  const house = readSettings(houseSettings, env, "FRONTDESK_");
  const config = readSettings(settings, env, "AVATAR_");
  const home = join(house.FRONTDESK_HOME, "avatar");
  const clock = systemClock;
  const url = config.AVATAR_DATABASE_URL ?? pathToFileURL(join(home, "avatar.db"));
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
