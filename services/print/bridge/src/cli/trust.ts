import { mkdirSync } from "node:fs";
import { systemClock } from "@frontdesk/kit/clock";
import { type Commands, command, NotDone } from "@frontdesk/kit/command-line";
import { authorityPath, discardAuthorityKey, localIdentity } from "@frontdesk/kit/local-ca";
import { changeTrust } from "../adapters/trust-store.ts";
import type { Configuration } from "./configuration.ts";

export const trustCommands: Commands<Configuration> = {
  trust: command(
    "[--remove] [--browsers-only] [--discard-key]",
    "lets this machine's browsers believe the bridge's certificate; --discard-key throws away the key that could sign further ones: for fleets",
    async (configuration, _words, _options, flags) => {
      const { home, settings, author } = configuration;
      mkdirSync(home, { recursive: true, mode: 0o700 });
      // The authority is made here when no bridge has been started yet, and has to be able to name the bridge's hosts.
      const hosts = settings().PRINT_HOSTS;
      const authority = { home, name: "Frontdesk print bridge", hosts, clock: systemClock };
      await localIdentity(authority);
      const { audit } = configuration.registry;
      if (flags.has("discard-key")) {
        await discardAuthorityKey(authority);
        // An entry of its own: the key is gone whether or not a store can be changed.
        audit.add({ ...author(), action: "trust.key_discarded", subject: null });
      }
      const how = flags.has("remove") ? "remove" : "add";
      const reports = changeTrust(authorityPath(home), how, flags.has("browsers-only"));
      const lines = reports.map(({ store, what }) => `${store}: ${what}`).join("\n");
      const told = flags.has("json") ? reports.map((report) => ({ ...report })) : lines;
      const stores = reports.filter(({ done }) => done).map(({ store }) => store);
      if (stores.length === 0) throw new NotDone(told);
      audit.add({
        ...author(),
        action: how === "add" ? "trust.added" : "trust.removed",
        subject: null,
        detail: { stores },
      });
      return told;
    },
  ),
};
