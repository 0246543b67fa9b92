import { systemClock } from "@frontdesk/kit/clock";
import { type Commands, command } from "@frontdesk/kit/command-line";
import { findPrinters } from "../adapters/find-printers.ts";
import type { DiscoveryState } from "../domain/discovery.ts";
import { systemWait } from "../start-bridge.ts";
import type { Configuration } from "./configuration.ts";

/** What is found is told on standard output; what a person may want to know beside it, on standard error. */
export const discoverCommands: Commands<Configuration> = {
  discover: command(
    "",
    "looks for printers on the network and on this machine",
    async ({ registry, settings }, _words, _options, flags) => {
      const known = registry.printers.all();
      const search = findPrinters({
        config: settings(),
        clock: systemClock,
        wait: systemWait,
        known: () => known,
      });
      let last: DiscoveryState = search.start();
      const isForPeople = !flags.has("json");
      if (isForPeople) console.error(`Looking for printers: ${last.milliseconds / 1000} seconds …`);
      for await (const state of search.find()) last = state;
      await search.close();
      if (!isForPeople) return last.printers.map((printer) => ({ ...printer }));
      for (const { via, problem } of last.ways) if (problem) console.error(`${via}: ${problem}`);
      const first = last.printers.find(({ added }) => !added);
      if (first) console.error(`To add one: ${addLine(first)}`);
      if (last.printers.length === 0)
        return "No printer answered. Is it switched on, and on the same network as this machine?";
      return last.printers.map(({ name, model, transport, address, languages, dpmm, sure, added }) => ({
        name: sure ? name : `${name} (perhaps)`,
        model,
        transport,
        address,
        languages,
        dpmm,
        added,
      }));
    },
  ),
};

const quoted = (text: string) => (/^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

function addLine({ name, transport, address, languages, dpmm }: DiscoveryState["printers"][number]): string {
  const id =
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "") || "printer";
  return [
    `npx frontdesk print printer add ${id.slice(0, 64)} --name=${quoted(name)}`,
    `--transport ${transport} --address ${quoted(address)}`,
    ...(languages[0] ? [`--language ${languages[0]}`] : []),
    ...(dpmm ? [`--dpmm ${dpmm}`] : []),
  ].join(" ");
}
