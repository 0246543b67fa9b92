import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { systemClock } from "@frontdesk/kit/clock";
import { identityHash, parseEmailAddress } from "@frontdesk/signin/email-address";
import { sessionKeys } from "@frontdesk/signin/session-keys";
import { createSessions } from "@frontdesk/signin/sessions";
import { openStore } from "@frontdesk/store/open-store";
import type { Store } from "@frontdesk/store/store";
import { folderObjects } from "../../services/avatar/src/adapters/folder-objects.ts";
import { migrations } from "../../services/avatar/src/adapters/migrations.ts";
import { storeRows } from "../../services/avatar/src/adapters/store-rows.ts";
import type { Tables } from "../../services/avatar/src/adapters/tables.ts";

const ROWS_AT_ONCE = 2_000;

export const benchHash = (i: number) => createHash("sha256").update(`person${i}@example.org`).digest("hex");

/** A home of the service before its first start, with people in it. */
async function seeded<T>(
  house: string,
  work: (store: Store<Tables>, home: string) => Promise<T>,
): Promise<T> {
  const home = join(house, "avatar");
  mkdirSync(home, { recursive: true });
  const url = pathToFileURL(join(home, "avatar.db"));
  const store = await openStore<Tables>({ url, migrations, clock: systemClock });
  try {
    return await work(store, home);
  } finally {
    await store.close();
  }
}

/** Accounts with so many verified addresses each; answers with a cookie for each account. */
export function seedSignedIn(house: string, accounts: number, addresses: number): Promise<string[]> {
  return seeded(house, async (store, home) => {
    const keys = sessionKeys({ listed: [], setting: "", file: join(home, "session-key") });
    const cookie = { name: "avatar_session", domain: undefined, secure: false };
    const sessions = createSessions({ keys, clock: systemClock, cookie });
    const now = Date.now();
    const cookies: string[] = [];
    for (let i = 0; i < accounts; i++) {
      const id = `account-${i}`;
      const emails = Array.from({ length: addresses }, (_, j) => parseEmailAddress(`p${i}-${j}@example.org`));
      const header = await store.write(async (tx) => {
        const rows = storeRows(tx);
        await rows.putAccount({
          id,
          createdAt: now,
          primaryEmail: emails[0] as (typeof emails)[number],
          firstName: null,
          lastName: null,
          version: 0,
          avatar: null,
        });
        for (const email of emails)
          await rows.putClaim({
            accountId: id,
            email,
            hash: identityHash(email),
            createdAt: now,
            verifiedAt: now,
          });
        return sessions.begin(rows.sessions, id, "bench");
      });
      cookies.push(header[0]?.split(";")[0] as string);
    }
    return cookies;
  });
}

/** So many accounts, each with an address and a saved avatar; the pictures are shared among them. */
export function seedSaved(house: string, accounts: number, pictures: readonly Uint8Array[]): Promise<void> {
  return seeded(house, async (store, home) => {
    const objects = folderObjects(join(home, "objects"));
    const images: string[] = [];
    for (const bytes of pictures) {
      const object = createHash("sha256").update(bytes).digest("hex");
      await objects.put(object, bytes, "image/gif");
      images.push(JSON.stringify({ type: "image/gif", object }));
    }
    const now = Date.now();
    for (let from = 0; from < accounts; from += ROWS_AT_ONCE) {
      const some = Array.from({ length: Math.min(ROWS_AT_ONCE, accounts - from) }, (_, i) => from + i);
      const saved = (i: number) => ({
        version: 1,
        kind: "uploaded" as const,
        updated_at: now,
        image: images[i % images.length] as string,
      });
      await store.write(async (tx) => {
        await tx
          .insertInto("accounts")
          .values(
            some.map((i) => ({
              id: `account-${i}`,
              created_at: now,
              primary_email: `person${i}@example.org`,
              first_name: null,
              last_name: null,
              collection: null,
              config: null,
              ...saved(i),
            })),
          )
          .execute();
        await tx
          .insertInto("claims")
          .values(
            some.map((i) => ({
              account_id: `account-${i}`,
              email: `person${i}@example.org`,
              hash: benchHash(i),
              created_at: now,
              verified_at: now,
            })),
          )
          .execute();
        await tx
          .insertInto("avatars")
          .values(some.map((i) => ({ hash: benchHash(i), ...saved(i) })))
          .execute();
      });
    }
  });
}
