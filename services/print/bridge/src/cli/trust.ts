import { parseArgs } from "node:util";
import { systemClock } from "@frontdesk/kit/clock";
import { authorityPath, localIdentity } from "../adapters/local-ca.ts";
import { changeTrust } from "../adapters/trust-store.ts";
import { printHome } from "./office.ts";

export const TRUST_USAGE = `trust [--remove] [--browsers-only] [--json]    let this machine's browsers believe the bridge's certificate`;

export async function trust(words: string[]): Promise<number> {
  const { values } = parseArgs({
    args: words,
    options: {
      remove: { type: "boolean", default: false },
      "browsers-only": { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
  });
  const home = printHome();
  // The authority is made here when no bridge has been started yet.
  await localIdentity(home, [], systemClock);
  const reports = changeTrust(authorityPath(home), values.remove ? "remove" : "add", values["browsers-only"]);
  if (values.json) console.log(JSON.stringify(reports, null, 2));
  else for (const { store, what } of reports) console.log(`${store}: ${what}`);
  return reports.some(({ done }) => done) ? 0 : 1;
}
