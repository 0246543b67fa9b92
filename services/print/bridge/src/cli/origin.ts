import { parseArgs } from "node:util";
import { readOrigin } from "../domain/access.ts";
import type { PairingRow } from "../http/admin-schemas.ts";
import { show, UsageError, withConfiguration } from "./configuration.ts";
import { askRunningBridge } from "./running-bridge.ts";

export const ORIGIN_USAGE = `origin approve <origin> [--printers a,name=b|all] [--rights raw,templates,rfid] [--open|--no-open]
                 [--code ABC123]
                 what is not said stays as it was; a new origin gets all printers and all rights;
                 prints the origin's token, and nothing else, on standard output; with --code the page that
                 shows this code is let in, and fetches its token itself
origin list [--json]
origin deny|revoke <origin>`;

export async function origin(words: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    allowNegative: true,
    options: {
      printers: { type: "string" },
      rights: { type: "string" },
      open: { type: "boolean" },
      code: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const [verb, name] = positionals;
  if (verb === "list") {
    const asking = await askRunningBridge<{ pairings: PairingRow[] }>("pairings");
    const rows = withConfiguration(({ registry }) => [
      ...registry.origins.all().map(({ origin, state, aliases, rights, open }) => ({
        origin,
        state,
        printers: aliases
          ? Object.entries(aliases)
              .map(([alias, id]) => (alias === id ? id : `${alias}=${id}`))
              .join(",")
          : "all",
        rights: Object.entries(rights)
          .flatMap(([right, given]) => (given ? [right] : []))
          .join(","),
        open,
        code: "",
      })),
      ...(asking?.pairings ?? [])
        .filter(({ approved }) => !approved)
        .map((pairing) => ({
          origin: pairing.origin,
          state: "asks",
          printers: "",
          rights: "",
          open: false,
          code: pairing.code,
        })),
    ]);
    show(rows, values.json, "No origin is allowed, and none has asked.");
    return 0;
  }
  if (!name) throw new UsageError(ORIGIN_USAGE);
  if (verb === "approve") {
    const wanted = readOrigin(name);
    const rights = values.rights?.split(",").filter(Boolean);
    const unknown = rights?.find((right) => !["raw", "templates", "rfid"].includes(right));
    if (unknown) throw new UsageError(`"${unknown}" is not a right. The rights are raw, templates, rfid.`);
    const aliases =
      values.printers === undefined
        ? undefined
        : values.printers === "all"
          ? null
          : Object.fromEntries(values.printers.split(",").map(readAlias));
    const code = values.code?.toUpperCase();
    if (code !== undefined) await assertWaiting(wanted, code);
    const token = withConfiguration(({ access }) => {
      access.approve(wanted, {
        ...(aliases !== undefined ? { aliases } : {}),
        ...(rights
          ? {
              rights: {
                raw: rights.includes("raw"),
                templates: rights.includes("templates"),
                rfid: rights.includes("rfid"),
              },
            }
          : {}),
        ...(values.open !== undefined ? { open: values.open } : {}),
        ...(code ? { code } : {}),
      });
      return code ? undefined : access.issueToken(wanted);
    });
    console.log(token ?? `The page of ${wanted} that shows ${code} is let in.`);
    return 0;
  }
  if (verb === "deny") {
    withConfiguration(({ access }) => access.deny(readOrigin(name)));
    console.log(`${name} is denied and is not asked about again.`);
    return 0;
  }
  if (verb !== "revoke") throw new UsageError(ORIGIN_USAGE);
  if (!withConfiguration(({ access }) => access.revoke(name)))
    throw new UsageError(`There is no origin "${name}".`);
  console.log(`${name} is revoked: all its tokens are invalid.`);
  return 0;
}

async function assertWaiting(origin: string, code: string): Promise<void> {
  const asking = await askRunningBridge<{ pairings: PairingRow[] }>("pairings");
  if (!asking) throw new UsageError("No bridge runs here, so no page can wait with a code.");
  if (!asking.pairings.some((pairing) => pairing.origin === origin && pairing.code === code))
    throw new UsageError(`No page of ${origin} waits with the code ${code}.`);
}

function readAlias(text: string): [alias: string, printer: string] {
  const [alias, printer = alias] = text.split("=");
  if (!alias || !printer) throw new UsageError(`"${text}" is not a printer or name=printer.`);
  return [alias, printer];
}
