import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { systemClock } from "@frontdesk/kit/clock";
import { createLog } from "@frontdesk/kit/log";
import { createSecretBox } from "@frontdesk/kit/secret-box";
import { DOCUMENT_PATH } from "../src/http/openapi.ts";
import { createPresence, DELIVERY_TIMES, RATE_POLICY } from "../src/presence.ts";

const GENERATOR = fileURLToPath(new URL("./generator", import.meta.url));
export const GENERATED = fileURLToPath(new URL("./generated", import.meta.url));

/** Where an organisation's paths begin; the client adds it once for all of them. */
const BASE = "/api/v1/external/orgs/{org}";

/** Writes the client for the document that the service publishes into a folder. */
export async function writeClient(folder: string): Promise<void> {
  if (!existsSync(join(GENERATOR, "node_modules/@hey-api/openapi-ts"))) {
    execFileSync("npm", ["ci", "--ignore-scripts", "--loglevel=error"], { cwd: GENERATOR, stdio: "pipe" });
  }
  const document = withoutBase(await publishedDocument());
  execFileSync(process.execPath, ["generate.js", folder], {
    cwd: GENERATOR,
    input: JSON.stringify(document),
    stdio: ["pipe", "pipe", "inherit"],
  });
}

interface Operation {
  readonly parameters?: ReadonlyArray<{ readonly name: string }>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

async function publishedDocument(): Promise<Document> {
  const folder = mkdtempSync(join(tmpdir(), "frontdesk-client-"));
  const presence = await createPresence({
    databaseUrl: pathToFileURL(join(folder, "presence.db")),
    clock: systemClock,
    log: createLog({ service: "presence", level: "silent", settings: {} }),
    publicUrl: "http://127.0.0.1:31073",
    avatarUrl: "http://127.0.0.1:31071",
    guard: () => "refused",
    secrets: createSecretBox([{ id: "any", secret: "for nothing" }], "client"),
    mailer: async () => {},
    random: Math.random,
    delivery: DELIVERY_TIMES,
    policy: RATE_POLICY,
  });
  try {
    return (await presence.app.inject(DOCUMENT_PATH)).json();
  } finally {
    await presence.close();
    rmSync(folder, { recursive: true });
  }
}

/** A client belongs to one organisation: no call names it. */
function withoutBase(document: Document): Document {
  const paths = Object.entries(document.paths)
    .filter(([path]) => path.startsWith(BASE))
    .map(([path, verbs]) => {
      const operations = Object.entries(verbs).map(([verb, { parameters = [], ...operation }]) => [
        verb,
        { ...operation, parameters: parameters.filter(({ name }) => name !== "org") },
      ]);
      return [path.slice(BASE.length), Object.fromEntries(operations)];
    });
  return { ...document, paths: Object.fromEntries(paths) };
}
