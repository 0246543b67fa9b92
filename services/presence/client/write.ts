import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { systemClock } from "@frontdesk/kit/clock";
import { createLog } from "@frontdesk/kit/log";
import { createSecretBox } from "@frontdesk/kit/secret-box";
import { DOCUMENT_PATH } from "../src/http/openapi.ts";
import { createPresence, DELIVERY_TIMES, RATE_POLICY } from "../src/presence.ts";
import { generateClient } from "./generate.ts";

/** Writes `presence-client.ts` from the document that the service publishes. */
export const clientFile = fileURLToPath(new URL("./presence-client.ts", import.meta.url));

export async function currentClient(): Promise<string> {
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
    const document = (await presence.app.inject(DOCUMENT_PATH)).json();
    return format(generateClient(document));
  } finally {
    await presence.close();
    rmSync(folder, { recursive: true });
  }
}

/** In the repository's style, so that it reads and checks like everything else. */
function format(source: string): string {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
  return execFileSync(process.execPath, [biome, "format", `--stdin-file-path=${clientFile}`], {
    cwd: root,
    input: source,
    encoding: "utf8",
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(clientFile, await currentClient());
