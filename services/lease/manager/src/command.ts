import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { systemClock } from "@frontdesk/kit/clock";
import { runCommandLine } from "@frontdesk/kit/command-line";
import { readEnvironment } from "@frontdesk/kit/environment";
import { randomIds } from "@frontdesk/kit/ids";
import { houseSettings, readSettings } from "@frontdesk/kit/settings";
import { leaseSettings } from "@frontdesk/lease-settings/settings";
import { openStore } from "@frontdesk/store/open-store";
import { controlAddress } from "./adapters/control-address.ts";
import { createControlClient } from "./adapters/control-client.ts";
import { createDesk } from "./adapters/desk.ts";
import { migrations } from "./adapters/migrations.ts";
import { argon2Passwords } from "./adapters/passwords.ts";
import type { Tables } from "./adapters/tables.ts";
import { commands, type Tools } from "./commands.ts";
import { createUsers } from "./domain/users.ts";
import { databaseUrlOf } from "./manager.ts";

/** `npx frontdesk lease …`: works on the same database as the manager, which may run or not. */
process.exitCode = await runCommandLine(
  { program: "npx frontdesk lease", commands, withTools },
  process.argv.slice(2),
);

async function withTools<T>(work: (tools: Tools) => Promise<T>): Promise<T> {
  const env = readEnvironment();
  const house = readSettings(houseSettings, env, "FRONTDESK_");
  const config = readSettings(leaseSettings, env, "LEASE_");
  const home = join(house.FRONTDESK_HOME, "lease");
  const folder = join(home, "engine");
  const configPath = config.LEASE_CONFIG ?? join(folder, "engine.toml");
  const clock = systemClock;
  const store = await openStore<Tables>({ url: databaseUrlOf(home), migrations, clock, mustExist: true });
  try {
    return await work({
      users: createUsers({
        desk: createDesk(store),
        clock,
        ids: randomIds,
        passwords: argon2Passwords,
        newSecret: () => randomBytes(32).toString("base64url"),
      }),
      engine: createControlClient(() => controlAddress(configPath, folder)),
      readPassword: async () => {
        let text = "";
        for await (const chunk of process.stdin) text += chunk;
        return text.replace(/\r?\n$/, "");
      },
    });
  } finally {
    await store.close();
  }
}
