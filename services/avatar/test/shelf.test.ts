import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type TestContext, test } from "node:test";
import type { DomainError } from "@frontdesk/kit/domain-error";
import { randomIds } from "@frontdesk/kit/ids";
import { createLog } from "@frontdesk/kit/log";
import { createObjectShelf } from "../src/adapters/object-shelf.ts";
import { storeLedger } from "../src/adapters/store-rows.ts";
import { createAvatars } from "../src/domain/avatars.ts";
import type { Objects } from "../src/domain/objects.ts";
import { createStyleCatalogue } from "../src/render/style-catalogue.ts";
import { type AvatarUnderTest, HOMES, hashOf, rememberedFaces } from "./avatar-under-test.ts";
import { storedAddresses } from "./what-is-kept.ts";

const ANNA = hashOf("anna@example.org");
const MINUTE = 60_000;
const bytesOf = (text: string) => Buffer.from(text);
const addressOf = (text: string) => createHash("sha256").update(bytesOf(text)).digest("hex");

/** Somebody with a saved avatar, and one more copy of the service whose object store has faults. */
async function faulty(
  t: TestContext,
  open: (typeof HOMES)[string],
  faults: Partial<Objects>,
  onFailedWrite: () => void = () => {},
) {
  const desk = await open(t);
  const anna = await desk.person("anna@example.org");
  await anna.post("/me/avatar", { collection: "identicon", seed: "before" });
  const accountId: string = (await anna.get("/me")).body.user.id;
  for (const copy of desk.copies) await copy.shelf.idle();
  const { store } = desk.copies[0] as AvatarUnderTest["copies"][number];
  const { clock } = desk;
  const log = createLog({ service: "avatar", level: "silent", settings: {} });
  const watched: typeof store = {
    ...store,
    write: (work) =>
      store.write(work).catch((error) => {
        onFailedWrite();
        throw error;
      }),
  };
  const shelf = createObjectShelf({
    store: watched,
    objects: { ...desk.objects, ...faults },
    clock,
    ids: randomIds,
    log,
  });
  const avatars = createAvatars({
    ledger: storeLedger(store),
    shelf,
    faces: rememberedFaces,
    // What is uploaded is kept as it is: what a picture is has tests of its own.
    uploads: { read: async (bytes) => ({ type: "image/gif", bytes }) },
    catalogue: createStyleCatalogue(),
    clock,
  });
  const before = { addresses: storedAddresses(desk.objectsFolder), image: await desk.image(ANNA) };
  return {
    desk,
    shelf,
    store,
    save: (text: string) => avatars.saveUpload(accountId, bytesOf(text)),
    remove: () => avatars.remove(accountId),
    /** Nothing of what was tried is left: neither shown nor kept, in the store or in the rows. */
    assertUnchanged: async () => {
      await shelf.idle();
      assert.deepEqual(await desk.image(ANNA), before.image);
      assert.equal((await desk.metadata(ANNA)).version, 1);
      assert.deepEqual(storedAddresses(desk.objectsFolder), before.addresses);
      const rows = await store.read.selectFrom("objects").select("address").orderBy("address").execute();
      assert.deepEqual(
        rows.map(({ address }) => address),
        before.addresses,
      );
      const uses = await store.read.selectFrom("object_uses").select("user_id").distinct().execute();
      assert.deepEqual(
        uses.map(({ user_id }) => user_id),
        [accountId],
      );
    },
  };
}

for (const [home, open] of Object.entries(HOMES)) {
  test(`${home}: a save so slow that others have swept its objects away is refused, and the old avatar stays`, async (t) => {
    const { desk, save, assertUnchanged } = await faulty(t, open, {
      put: async (address, bytes, type) => {
        await desk.objects.put(address, bytes, type);
        desk.clock.advance(10 * MINUTE);
        await desk.copies.at(-1)?.shelf.sweep();
      },
    });
    await assert.rejects(save("too slow"), (error: DomainError) => error.code === "overloaded");
    await assertUnchanged();
  });

  test(`${home}: a save that is not quite so slow is left alone by the sweep`, async (t) => {
    const { desk, save, shelf } = await faulty(t, open, {
      put: async (address, bytes, type) => {
        await desk.objects.put(address, bytes, type);
        desk.clock.advance(10 * MINUTE - 1);
        await desk.copies.at(-1)?.shelf.sweep();
      },
    });
    assert.equal((await save("slow")).version, 2);
    await shelf.idle();
    assert.deepEqual(await desk.image(ANNA), bytesOf("slow"));
  });

  test(`${home}: a save whose bytes the object store does not take fails, and leaves nothing behind`, async (t) => {
    const { save, assertUnchanged } = await faulty(t, open, {
      put: async () => {
        throw new Error("the disk is full");
      },
    });
    await assert.rejects(save("lost"), /the disk is full/);
    await assertUnchanged();
  });

  test(`${home}: a save that fails behind its objects gives them up`, async (t) => {
    const { desk, save, store, assertUnchanged } = await faulty(t, open, {
      put: async (address, bytes, type) => {
        await desk.objects.put(address, bytes, type);
        await store.write((tx) => tx.updateTable("claims").set({ verified_at: null }).execute());
      },
    });
    await assert.rejects(save("nobody's"), (error: DomainError) => error.code === "no_verified_email");
    await store.write((tx) => tx.updateTable("claims").set({ verified_at: 1 }).execute());
    await assertUnchanged();
  });

  test(`${home}: a save of what is just being deleted waits for that, and then has its bytes`, async (t) => {
    let again: Promise<unknown> | undefined;
    let first: string | undefined;
    const turnedAway = Promise.withResolvers<string>();
    const { desk, save, remove, shelf } = await faulty(
      t,
      open,
      {
        delete: async (address) => {
          if (address !== addressOf("twice")) return desk.objects.delete(address);
          // It has begun; somebody saves the very same now, and must not rely on what is going.
          again ??= save("twice");
          first = await Promise.race([again.then(() => "saved"), turnedAway.promise]);
          await desk.objects.delete(address);
        },
      },
      () => turnedAway.resolve("turned away"),
    );
    await save("twice");
    await remove();
    await shelf.idle();
    await again;
    await shelf.idle();
    assert.equal(first, "turned away", "the save found the deletion under way, and waited");
    assert.deepEqual(await desk.image(ANNA), bytesOf("twice"));
    assert.deepEqual(storedAddresses(desk.objectsFolder), [addressOf("twice")]);
  });

  test(`${home}: what was unused and is needed again is not deleted by who found it unused`, async (t) => {
    let found: (() => void) | undefined;
    const isFound = new Promise<void>((resolve) => (found = resolve));
    let goOn: (() => void) | undefined;
    const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
    const { desk, save, remove, shelf, store } = await faulty(t, open, {});
    await save("needed");
    // A tidy that has seen the object unused, and is slow to say that it takes it.
    const { write } = store;
    const slow = createObjectShelf({
      store: {
        ...store,
        write: async (work) => {
          found?.();
          await mayGoOn;
          return write(work);
        },
      },
      objects: desk.objects,
      clock: desk.clock,
      ids: randomIds,
      log: createLog({ service: "avatar", level: "silent", settings: {} }),
    });
    await store.write((tx) =>
      tx.updateTable("objects").set({ unused_since: 1 }).where("address", "=", addressOf("needed")).execute(),
    );
    const tidied = slow.idle();
    await isFound;
    await remove();
    await save("needed");
    goOn?.();
    await tidied;
    await shelf.idle();
    assert.deepEqual(await desk.image(ANNA), bytesOf("needed"));
    assert.deepEqual(storedAddresses(desk.objectsFolder), [addressOf("needed")]);
  });

  test(`${home}: of several deletions each ends by itself`, async (t) => {
    const stuck = addressOf("stuck");
    const { desk, save, remove, shelf, store } = await faulty(t, open, {
      delete: async (address) => {
        if (address === stuck) throw new Error("not this one");
        await desk.objects.delete(address);
      },
    });
    for (const name of ["stuck", "free"]) {
      await save(name);
      await remove();
    }
    await shelf.idle();
    assert.deepEqual(storedAddresses(desk.objectsFolder), [stuck]);
    const rows = await store.read.selectFrom("objects").select("address").execute();
    assert.deepEqual(
      rows.map(({ address }) => address),
      [stuck],
    );
  });

  test(`${home}: once it is closed, the shelf asks the store nothing more`, async (t) => {
    const { shelf, store } = await faulty(t, open, {});
    await shelf.close();
    const before = store.counts.writes;
    await Promise.all([shelf.sweep(), shelf.idle()]);
    shelf.tidy();
    await shelf.close();
    assert.equal(store.counts.writes, before);
  });

  test(`${home}: an object store that is silent does not hold up whoever closes the shelf`, async (t) => {
    const asked = Promise.withResolvers<void>();
    const { save, shelf } = await faulty(t, open, {
      delete: () => {
        asked.resolve();
        return new Promise(() => {});
      },
    });
    await save("new");
    shelf.tidy();
    await asked.promise;
    await shelf.close();
  });

  test(`${home}: a deletion that died is taken up by the sweep of two minutes later, and not before`, async (t) => {
    let dies = true;
    const { desk, save, remove, shelf, store } = await faulty(t, open, {
      delete: async (address) => {
        if (dies) throw new Error("the power went");
        await desk.objects.delete(address);
      },
    });
    await save("half gone");
    await remove();
    await shelf.idle();
    assert.ok(storedAddresses(desk.objectsFolder).includes(addressOf("half gone")));
    dies = false;
    desk.clock.advance(2 * MINUTE);
    await shelf.sweep();
    assert.ok(
      storedAddresses(desk.objectsFolder).includes(addressOf("half gone")),
      "who began may be at it still",
    );
    desk.clock.advance(1);
    await shelf.sweep();
    assert.deepEqual(storedAddresses(desk.objectsFolder), []);
    assert.deepEqual(await store.read.selectFrom("objects").selectAll().execute(), []);
  });

  test(`${home}: a deletion of a copy whose clock is a little ahead is left to it`, async (t) => {
    const deleted: string[] = [];
    const { desk, save, remove, shelf, store } = await faulty(t, open, {
      delete: async (address) => {
        deleted.push(address);
        await desk.objects.delete(address);
      },
    });
    await save("going");
    await store.write((tx) =>
      tx
        .updateTable("objects")
        .set({ deleting_since: desk.clock.now() + 50 })
        .where("address", "=", addressOf("going"))
        .execute(),
    );
    await remove();
    await shelf.idle();
    assert.ok(!deleted.includes(addressOf("going")));
  });

  test(`${home}: a deletion that was taken up by another meanwhile leaves the row to that one`, async (t) => {
    const { desk, save, remove, shelf, store } = await faulty(t, open, {
      delete: async (address) => {
        await store.write((tx) =>
          tx
            .updateTable("objects")
            .set({ deleting_since: desk.clock.now() + 1 })
            .where("address", "=", address)
            .execute(),
        );
      },
    });
    await save("slow");
    await remove();
    await shelf.idle();
    const rows = await store.read.selectFrom("objects").select("address").execute();
    assert.ok(rows.some(({ address }) => address === addressOf("slow")));
  });
}
