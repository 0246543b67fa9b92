import { type Commands, command } from "@frontdesk/kit/command-line";
import { StartProblem } from "@frontdesk/kit/problem";
import { readOrigin } from "../domain/access.ts";
import type { Approval } from "../domain/origin-changes.ts";
import type { OriginRecord } from "../domain/registry.ts";
import type { PairingRow } from "../http/admin-schemas.ts";
import type { Configuration } from "./configuration.ts";
import { askRunningBridge } from "./running-bridge.ts";

const RIGHTS = ["raw", "templates", "rfid"] as const;

export const originCommands: Commands<Configuration> = {
  "origin approve": command(
    "<origin> [--printers <a,name=b|all>] [--rights <raw,templates,rfid>] [--open] [--no-open] [--code <ABC123>]",
    "lets a web origin in, and prints its token alone; with --code the page that shows it is let in instead. What is not said stays as it was; a new origin gets all printers and all rights",
    async (configuration, [name = ""], options, flags) => {
      const origin = readOrigin(name);
      const code = options.code?.toUpperCase();
      const approval: Approval = {
        ...(options.printers === undefined ? {} : { aliases: readAliases(options.printers) }),
        ...(options.rights === undefined ? {} : { rights: readRights(options.rights) }),
        ...(flags.has("open") || flags.has("no-open") ? { open: !flags.has("no-open") } : {}),
        ...(code ? { code } : {}),
      };
      if (code !== undefined) await assertWaiting(configuration, origin, code);
      const { registry } = configuration;
      const by = changes(configuration);
      return registry.together(() => {
        by.approve(origin, approval);
        return code ? `The page of ${origin} that shows ${code} is let in.` : by.issueToken(origin);
      });
    },
  ),
  "origin list": command(
    "",
    "the origins, and those that ask",
    async (configuration, _words, _options, flags) => {
      const asking = (await pairingsOf(configuration)) ?? [];
      const rows = [
        ...configuration.registry.origins.all().map(rowOf),
        ...asking
          .filter(({ approved }) => !approved)
          .map(({ origin, code }) => ({
            origin,
            state: "asks",
            printers: "",
            rights: "",
            open: false,
            code,
          })),
      ];
      return rows.length > 0 || flags.has("json") ? rows : "No origin is allowed, and none has asked.";
    },
  ),
  "origin deny": command(
    "<origin>",
    "refuses an origin, and its requests",
    async (configuration, [name = ""]) => {
      changes(configuration).deny(readOrigin(name));
      return `${name} is denied and is not asked about again.`;
    },
  ),
  "origin revoke": command(
    "<origin>",
    "takes an origin's tokens back",
    async (configuration, [name = ""]) => {
      if (!changes(configuration).revoke(readOrigin(name)))
        throw new StartProblem(`There is no origin "${name}".`);
      return `${name} is revoked: all its tokens are invalid.`;
    },
  ),
};

const changes = ({ access, author }: Configuration) => access.by(author().actor);

const rowOf = ({ origin, state, aliases, rights, open }: OriginRecord) => ({
  origin,
  state,
  printers: aliases
    ? Object.entries(aliases)
        .map(([alias, id]) => (alias === id ? id : `${alias}=${id}`))
        .join(",")
    : "all",
  rights: RIGHTS.filter((right) => rights[right]).join(","),
  open,
  code: "",
});

const pairingsOf = async (configuration: Configuration) =>
  (await askRunningBridge<{ pairings: PairingRow[] }>(configuration, "pairings"))?.pairings;

async function assertWaiting(configuration: Configuration, origin: string, code: string): Promise<void> {
  const asking = await pairingsOf(configuration);
  if (!asking) throw new StartProblem("No bridge runs here, so no page can wait with a code.");
  if (!asking.some((pairing) => pairing.origin === origin && pairing.code === code))
    throw new StartProblem(`No page of ${origin} waits with the code ${code}.`);
}

function readRights(text: string) {
  const rights = text.split(",").filter(Boolean);
  const unknown = rights.find((right) => !(RIGHTS as readonly string[]).includes(right));
  if (unknown) throw new StartProblem(`"${unknown}" is not a right. The rights are ${RIGHTS.join(", ")}.`);
  return {
    raw: rights.includes("raw"),
    templates: rights.includes("templates"),
    rfid: rights.includes("rfid"),
  };
}

const readAliases = (text: string) =>
  text === "all" ? null : Object.fromEntries(text.split(",").map(readAlias));

function readAlias(text: string): [alias: string, printer: string] {
  const [alias, printer = alias] = text.split("=");
  if (!alias || !printer) throw new StartProblem(`"${text}" is not a printer or name=printer.`);
  return [alias, printer];
}
