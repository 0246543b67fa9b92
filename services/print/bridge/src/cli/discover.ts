import { parseArgs } from "node:util";
import { systemClock } from "@frontdesk/kit/clock";
import { readSettings } from "@frontdesk/kit/settings";
import { findPrinters } from "../adapters/find-printers.ts";
import type { DiscoveryState } from "../domain/discovery.ts";
import { printSettings } from "../settings.ts";
import { systemWait } from "../start-bridge.ts";
import { show, withConfiguration } from "./configuration.ts";

export const DISCOVER_USAGE =
  "discover [--json]            look for printers on the network and on this machine";

export async function discover(words: string[]): Promise<number> {
  const { values } = parseArgs({ args: words, options: { json: { type: "boolean", default: false } } });
  const known = withConfiguration(({ registry }) => registry.printers.all());
  const search = findPrinters({
    config: readSettings(printSettings, process.env, "PRINT_"),
    clock: systemClock,
    wait: systemWait,
    known: () => known,
  });
  let last: DiscoveryState = search.start();
  if (!values.json) console.error(`Looking for printers: ${last.milliseconds / 1000} seconds …`);
  for await (const state of search.find()) last = state;
  await search.close();
  if (values.json) {
    show(last.printers, true, "");
    return 0;
  }
  show(
    last.printers.map(({ name, model, transport, address, languages, dpmm, sure, added }) => ({
      name: sure ? name : `${name} (perhaps)`,
      model: model ?? "",
      transport,
      address,
      language: languages.join(","),
      dpmm: dpmm ?? "",
      added: added ?? "",
    })),
    false,
    "No printer answered. Is it switched on, and on the same network as this machine?",
  );
  for (const { via, problem } of last.ways) if (problem) console.error(`${via}: ${problem}`);
  const first = last.printers.find(({ added }) => !added);
  if (first) console.log(`\nTo add one: ${addLine(first)}`);
  return 0;
}

const quoted = (text: string) => (/^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

function addLine({ name, transport, address, languages, dpmm }: DiscoveryState["printers"][number]): string {
  const id =
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "") || "printer";
  return [
    `npx frontdesk print printer add ${id.slice(0, 64)} --name ${quoted(name)}`,
    `--transport ${transport} --address ${quoted(address)}`,
    ...(languages[0] ? [`--language ${languages[0]}`] : []),
    ...(dpmm ? [`--dpmm ${dpmm}`] : []),
  ].join(" ");
}
