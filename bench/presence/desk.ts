import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { systemClock } from "@frontdesk/kit/clock";
import { createLog } from "@frontdesk/kit/log";
import { createSecretBox } from "@frontdesk/kit/secret-box";
import { createAddressGuard } from "../../services/presence/src/delivery/address-guard.ts";
import { issueToken } from "../../services/presence/src/domain/access.ts";
import { CLI } from "../../services/presence/src/domain/actor.ts";
import { addMember } from "../../services/presence/src/domain/member.ts";
import { createOrg } from "../../services/presence/src/domain/org.ts";
import { SCOPES } from "../../services/presence/src/domain/scopes.ts";
import {
  createPresence,
  DELIVERY_TIMES,
  type Presence,
  RATE_POLICY,
} from "../../services/presence/src/presence.ts";

export const ORG = "01JGFJJZ000000000000000000";
export const MEMBERS = 1_000;
export const memberEmail = (i: number): string => `member${i}@example.org`;

export const openBenchPresence = (databaseUrl: URL): Promise<Presence> =>
  createPresence({
    databaseUrl,
    clock: systemClock,
    log: createLog({ service: "presence", level: "error", settings: {} }),
    publicUrl: "http://127.0.0.1",
    avatarUrl: "http://127.0.0.1",
    guard: createAddressGuard(["127.0.0.1"]),
    secrets: createSecretBox([{ id: "bench", secret: "a key of at least thirty-two characters" }], "bench"),
    mailer: async () => {},
    random: Math.random,
    delivery: DELIVERY_TIMES,
    policy: RATE_POLICY,
  });

/** A folder with a database that has an organisation of a thousand members and enough tokens for a load. */
export async function prepareDesk(tokens: number) {
  const folder = mkdtempSync(join(tmpdir(), "frontdesk-bench-"));
  const databaseUrl = pathToFileURL(join(folder, "presence.db"));
  const presence = await openBenchPresence(databaseUrl);
  const { desk } = presence;
  const admin = { email: "admin@example.org", name: "Admin" };
  await createOrg(desk, CLI, { id: ORG, slug: "bench", name: "Bench", now: Date.now(), admin });
  await desk.change(ORG, CLI, async (unit) => {
    for (let i = 0; i < MEMBERS; i++)
      await addMember(unit, { email: memberEmail(i), name: `M${i}`, role: "member" });
  });
  const issued = await desk.change(ORG, CLI, async (unit) => {
    const found: string[] = [];
    for (let i = 0; i < tokens; i++) {
      const wanted = { integration: `i${i}`, name: "", scopes: SCOPES, expiresAt: null };
      found.push((await issueToken(unit, wanted)).token);
    }
    return found;
  });
  await presence.close();
  return {
    folder,
    databaseUrl,
    tokens: issued,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
