import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { IdentityHash } from "@frontdesk/signin/identity-hash";
import fc from "fast-check";
import sharp from "sharp";
import { uploadReader } from "../src/adapters/uploads.ts";
import type { AvatarStyle } from "../src/domain/avatar-style.ts";
import type { UploadedImage } from "../src/domain/avatars.ts";
import type { Design } from "../src/domain/design.ts";
import { STORED_SIZES } from "../src/domain/saved-avatar.ts";
import { type AvatarUnderTest, HOMES, hashOf, type Person, rememberedFaces } from "./avatar-under-test.ts";
import { storedAddresses } from "./what-is-kept.ts";

const PEOPLE = ["anna@example.org", "ben@example.org"];
const ADDRESSES = [...PEOPLE, "shared@example.org"];
const DESIGNS: Design[] = [
  { style: "identicon", seed: "one", options: {} },
  { style: "initials", seed: "Ada Lovelace", options: {} },
];
const LOOKED_AT = [16, 80, 512];

/** What an avatar looks like: bytes by size. */
type Look = ReadonlyMap<number, Buffer>;

interface ModelAccount {
  readonly verified: Set<string>;
  primary: string;
  version: number;
  avatar: { kind: "designed" | "uploaded"; look: Look; updatedAt: number } | null;
}

interface Model {
  readonly accounts: Map<string, ModelAccount>;
  readonly versions: Map<string, number>;
  /** Every object that ever was. */
  readonly seen: Set<string>;
}

const person = fc.constantFrom(...PEOPLE.keys());
const address = fc.constantFrom(...ADDRESSES);
const operation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("design" as const),
      who: person,
      what: fc.constantFrom(...DESIGNS.keys()),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("upload" as const), who: person, what: fc.constantFrom(0, 1, 2) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("connect" as const), who: person, email: address }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("disconnect" as const), who: person, email: address }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("promote" as const), who: person, email: address }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("remove" as const), who: person }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("erase" as const), who: person }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

const uploads = [
  await sharp({ create: { width: 24, height: 16, channels: 3, background: "red" } })
    .png()
    .toBuffer(),
  await sharp({ create: { width: 16, height: 16, channels: 3, background: "blue" } })
    .gif()
    .toBuffer(),
  // One colour: several of its sizes, and those of the first, may well be the same objects.
  await sharp({ create: { width: 100, height: 100, channels: 3, background: "red" } })
    .webp({ lossless: true })
    .toBuffer(),
];
const uploadLooks = await Promise.all(uploads.map(async (bytes) => lookOf(await uploadReader.read(bytes))));
const designLooks = await Promise.all(
  DESIGNS.map(async (design) => {
    const sizes = STORED_SIZES.map(async (size) => {
      const { bytes } = await rememberedFaces.draw({ kind: "design", design, size, format: "png" });
      return [size, Buffer.from(bytes)] as const;
    });
    return new Map(await Promise.all(sizes));
  }),
);

function lookOf(image: UploadedImage): Look {
  return image.type === "image/gif"
    ? new Map(STORED_SIZES.map((size) => [size, Buffer.from(image.bytes)]))
    : new Map([...image.sizes].map(([size, bytes]) => [size, Buffer.from(bytes)]));
}

const addressOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const wanted = (model: Model) =>
  new Set(
    [...model.accounts.values()].flatMap(({ avatar }) => [...(avatar?.look.values() ?? [])].map(addressOf)),
  );

function save(model: Model, account: ModelAccount, avatar: NonNullable<ModelAccount["avatar"]>): void {
  const versions = [...account.verified].map((email) => model.versions.get(email) ?? 0);
  account.version = 1 + Math.max(account.version, ...versions);
  account.avatar = avatar;
  for (const email of account.verified) model.versions.set(email, account.version);
  for (const bytes of avatar.look.values()) model.seen.add(addressOf(bytes));
}

/** The account that a person, who signs in with the same address every time, is then in. */
function signedIn(model: Model, email: string): ModelAccount {
  const known = [...model.accounts.values()].find(({ verified }) => verified.has(email));
  if (known) return known;
  const account: ModelAccount = { verified: new Set([email]), primary: email, version: 0, avatar: null };
  model.accounts.set(`${email} ${model.accounts.size} ${model.seen.size}`, account);
  return account;
}

/** Does it to the model; answers with the status that the service should answer with. */
function foretell(model: Model, account: ModelAccount, operation: Operation, now: number): number {
  switch (operation.do) {
    case "design":
      save(model, account, { kind: "designed", look: designLooks[operation.what] as Look, updatedAt: now });
      return 200;
    case "upload":
      save(model, account, { kind: "uploaded", look: uploadLooks[operation.what] as Look, updatedAt: now });
      return 200;
    case "remove":
      account.avatar = null;
      return 200;
    case "connect": {
      if (account.verified.has(operation.email)) return 200;
      if ([...model.accounts.values()].some(({ verified }) => verified.has(operation.email))) return 409;
      account.verified.add(operation.email);
      if (!account.avatar) return 200;
      const had = model.versions.get(operation.email) ?? 0;
      if (had >= account.version) account.version = had + 1;
      for (const email of account.verified) model.versions.set(email, account.version);
      return 200;
    }
    case "disconnect":
      if (!account.verified.has(operation.email)) return 404;
      if (account.primary === operation.email) return 409;
      account.verified.delete(operation.email);
      return 200;
    case "promote":
      if (!account.verified.has(operation.email)) return 404;
      account.primary = operation.email;
      return 200;
    case "erase":
      for (const [key, each] of model.accounts) if (each === account) model.accounts.delete(key);
      return 200;
  }
}

async function perform(person: Person, account: ModelAccount, operation: Operation): Promise<number> {
  switch (operation.do) {
    case "design": {
      const { style, seed, options } = DESIGNS[operation.what] as Design;
      return (await person.post("/me/avatar", { collection: style satisfies AvatarStyle, seed, options }))
        .status;
    }
    case "upload":
      return (await person.upload(uploads[operation.what] as Buffer)).status;
    case "remove":
      return (await person.remove("/me/avatar")).status;
    case "connect":
      return account.verified.has(operation.email)
        ? (await person.post("/me/emails", { email: operation.email })).status
        : (await person.connect(operation.email)).status;
    case "disconnect":
      return (await person.remove("/me/emails", { email: operation.email })).status;
    case "promote":
      return (await person.post("/me/emails/primary", { email: operation.email })).status;
    case "erase":
      return (await person.remove("/me", { confirm: account.primary })).status;
  }
}

/** Every hash's bytes and metadata, and the object store, are what the model says. */
async function compare(desk: AvatarUnderTest, model: Model): Promise<void> {
  for (const email of ADDRESSES) {
    const hash = hashOf(email);
    const owner = [...model.accounts.values()].find(({ verified }) => verified.has(email));
    const avatar = owner?.avatar ?? null;
    assert.deepEqual(await desk.metadata(hash), {
      hash,
      has_avatar: avatar !== null,
      kind: avatar?.kind ?? null,
      version: model.versions.get(email) ?? 0,
      updated_at: avatar && new Date(avatar.updatedAt).toISOString(),
    });
    for (const size of LOOKED_AT) {
      const generated = {
        kind: "style",
        style: "personas",
        hash: hash as IdentityHash,
        size,
        format: "png",
      } as const;
      const expected = avatar?.look.get(size) ?? Buffer.from((await rememberedFaces.draw(generated)).bytes);
      assert.deepEqual(await desk.image(hash, `?s=${size}`), expected, `${email} at ${size}`);
    }
  }
}

async function compareObjects(desk: AvatarUnderTest, model: Model): Promise<void> {
  for (const copy of desk.copies) await copy.shelf.idle();
  const needed = wanted(model);
  for (const address of model.seen)
    assert.equal((await desk.objects.get(address)) !== undefined, needed.has(address), address);
  assert.deepEqual(storedAddresses(desk.objectsFolder), [...needed].sort());
}

const RUNS: Record<string, number> = { "SQLite and a folder": 10, "two copies on PostgreSQL and S3": 3 };

for (const [home, open] of Object.entries(HOMES)) {
  test(`${home}: after any sequence of operations every hash shows what it should, and no object is too many`, async (t) => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 8, maxLength: 30 }), async (operations) => {
        const desk = await open(t);
        const model: Model = { accounts: new Map(), versions: new Map(), seen: new Set() };
        const people = await Promise.all(PEOPLE.map((email) => desk.person(email)));
        for (const email of PEOPLE) signedIn(model, email);
        for (const operation of operations) {
          desk.clock.advance(60_000);
          const who = people[operation.who] as Person;
          // Who was signed out with an account, or whose address was removed from it, signs in anew.
          await who.signIn();
          const account = signedIn(model, who.email);
          const status = await perform(who, account, operation);
          assert.equal(
            status,
            foretell(model, account, operation, desk.clock.now()),
            JSON.stringify(operation),
          );
          await compare(desk, model);
        }
        await compareObjects(desk, model);
        for (const copy of desk.copies) await copy.close();
      }),
      { numRuns: RUNS[home] ?? 1, endOnFailure: true },
    );
  });
}
