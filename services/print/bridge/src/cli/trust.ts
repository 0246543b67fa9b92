import { parseArgs } from "node:util";
import { systemClock } from "@frontdesk/kit/clock";
import { authorityPath, discardAuthorityKey, localIdentity } from "@frontdesk/kit/local-ca";
import { readSettings } from "@frontdesk/kit/settings";
import { changeTrust } from "../adapters/trust-store.ts";
import { printSettings } from "../settings.ts";
import { printHome } from "./configuration.ts";

export const TRUST_USAGE = `trust [--remove] [--browsers-only] [--json]    let this machine's browsers believe the bridge's certificate
trust --discard-key                             and throw away the key that could sign further ones: for fleets`;

export async function trust(words: string[]): Promise<number> {
  const { values } = parseArgs({
    args: words,
    options: {
      remove: { type: "boolean", default: false },
      "browsers-only": { type: "boolean", default: false },
      "discard-key": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  const home = printHome();
  // The authority is made here when no bridge has been started yet.
  const authority = { home, name: "Frontdesk print bridge", hosts: hostsInForce(), clock: systemClock };
  await localIdentity(authority);
  if (values["discard-key"]) await discardAuthorityKey(authority);
  const reports = changeTrust(authorityPath(home), values.remove ? "remove" : "add", values["browsers-only"]);
  if (values.json) console.log(JSON.stringify(reports, null, 2));
  else for (const { store, what } of reports) console.log(`${store}: ${what}`);
  return reports.some(({ done }) => done) ? 0 : 1;
}

/** The hosts that a running bridge shows its certificate for: the authority has to be able to name them. */
const hostsInForce = () => readSettings(printSettings, process.env, "PRINT_").PRINT_HOSTS;
