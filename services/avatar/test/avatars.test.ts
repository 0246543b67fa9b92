import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import sharp from "sharp";
import { STORED_SIZES } from "../src/domain/saved-avatar.ts";
import { type AvatarUnderTest, anyHome, HOMES, hashOf, rememberedFaces } from "./avatar-under-test.ts";
import { pngSize } from "./media-fixture.ts";
import { storedAddresses } from "./what-is-kept.ts";

const ANNA = hashOf("anna@example.org");
const WORK = "anna@work.example";

const versions = async (desk: AvatarUnderTest, ...emails: string[]) =>
  Promise.all(emails.map(async (email) => (await desk.metadata(hashOf(email))).version));

for (const [home, open] of Object.entries(HOMES)) {
  test(`${home}: a save is seen by the next read, at every size, as identical bytes for every verified hash`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person("anna@example.org");
    await anna.connect(WORK);
    await anna.post("/me/emails", { email: "pending@example.org" });
    const generated = await desk.image(hashOf("pending@example.org"));
    const { body } = await anna.post("/me/avatar", { collection: "bottts", seed: "a robot" });
    assert.deepEqual(body.hashes, [ANNA, hashOf(WORK)]);
    for (const size of STORED_SIZES) {
      const image = await desk.image(ANNA, `?s=${size}`);
      assert.deepEqual(pngSize(image), [size, size]);
      assert.deepEqual(await desk.image(hashOf(WORK), `?s=${size}`), image);
    }
    assert.match((await desk.image(ANNA)).toString("latin1"), /tEXtCopyright\0Remix of/);
    assert.deepEqual(await desk.image(hashOf("pending@example.org")), generated);
    for (const hash of body.hashes) {
      assert.deepEqual(await desk.metadata(hash), {
        hash,
        has_avatar: true,
        kind: "designed",
        version: 1,
        updated_at: "2026-05-06T07:08:09.000Z",
      });
    }
  });

  test(`${home}: an avatar that the caller has not seen is neither replaced nor removed, if the caller says what was seen`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person("anna@example.org");
    const save = async (seed: string, headers: Record<string, string>) => {
      const { status, body } = await anna.call("POST", "/me/avatar", { body: { seed }, headers });
      return status === 200 ? body.version : [status, body.error];
    };
    const seen = (version: number) => ({ "if-match": `"${version}"` });
    const none = { "if-none-match": "*" };
    assert.equal(await save("first", none), 1);
    assert.deepEqual(await save("again", none), [412, "avatar_changed"]);
    assert.equal(await save("second", seen(1)), 2);
    assert.deepEqual(await save("third", seen(1)), [412, "avatar_changed"]);
    assert.equal((await anna.get("/me/avatar")).body.avatar.config.seed, "second");
    await anna.call("DELETE", "/me/avatar");
    assert.deepEqual(await save("third", seen(2)), [412, "avatar_changed"]);
    assert.equal(await save("third", none), 3);
    assert.equal(await save("whatever is there", {}), 4);
    // So with a picture, and with the removal.
    const bytes = await sharp({ create: { width: 32, height: 32, channels: 3, background: "red" } })
      .png()
      .toBuffer();
    const upload = async (headers: Record<string, string>) => {
      const form = { bytes, type: "image/png" };
      const { status, body } = await anna.call("POST", "/me/avatar/upload", { form, headers });
      return status === 200 ? body.version : [status, body.error];
    };
    const remove = async (headers: Record<string, string>) => {
      const { status, body } = await anna.call("DELETE", "/me/avatar", { headers });
      return status === 200 ? body.deleted : [status, body.error];
    };
    assert.deepEqual(await upload(none), [412, "avatar_changed"]);
    assert.deepEqual(await upload(seen(3)), [412, "avatar_changed"]);
    assert.deepEqual(await remove(seen(3)), [412, "avatar_changed"]);
    assert.equal(await upload(seen(4)), 5);
    assert.deepEqual(await remove(seen(4)), [412, "avatar_changed"]);
    assert.equal((await anna.get("/me/avatar")).body.avatar.kind, "uploaded");
    assert.equal(await remove(seen(5)), true);
  });

  test(`${home}: without a seed the design is that of the primary hash, whatever else is verified`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person("anna@example.org");
    await anna.connect(WORK);
    await anna.post("/me/avatar", {});
    const { avatar } = (await anna.get("/me/avatar")).body;
    assert.deepEqual([avatar.collection, avatar.config], ["personas", { seed: ANNA, options: {} }]);
    assert.deepEqual(await desk.image(hashOf(WORK)), await desk.image(ANNA, "?f=n"));
  });

  test(`${home}: a claim that is verified later shows the saved avatar; removing it drops that hash alone`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person("anna@example.org");
    const generated = await desk.image(hashOf(WORK));
    await anna.post("/me/avatar", { collection: "bottts" });
    await anna.connect(WORK);
    const saved = await desk.image(ANNA);
    assert.deepEqual(await desk.image(hashOf(WORK)), saved);
    await anna.remove("/me/emails", { email: WORK });
    assert.deepEqual(await desk.image(hashOf(WORK)), generated);
    assert.deepEqual(await desk.image(ANNA), saved);
    assert.deepEqual(await desk.metadata(hashOf(WORK)), {
      hash: hashOf(WORK),
      has_avatar: false,
      kind: null,
      version: 1,
      updated_at: null,
    });
  });

  test(`${home}: versions never go down: not by removal, nor when an address leaves, comes back or moves`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person("anna@example.org");
    const ben = await desk.person("ben@example.org");
    await anna.connect(WORK);
    for (const seed of ["1", "2", "3"]) await anna.post("/me/avatar", { seed });
    await anna.remove("/me/avatar");
    assert.deepEqual(await versions(desk, "anna@example.org", WORK), [3, 3]);
    assert.equal((await anna.post("/me/avatar", { seed: "4" })).body.version, 4);

    await anna.remove("/me/emails", { email: WORK });
    await anna.connect(WORK);
    // Under version 4 the hash has shown a generated face in between: everyone moves on.
    assert.deepEqual(await versions(desk, "anna@example.org", WORK), [5, 5]);
    assert.equal((await anna.get("/me/avatar")).body.avatar.version, 5);

    await anna.remove("/me/emails", { email: WORK });
    assert.equal((await ben.post("/me/avatar", { seed: "ben" })).body.version, 1);
    await ben.connect(WORK);
    assert.deepEqual(await versions(desk, "ben@example.org", WORK), [6, 6]);
    assert.deepEqual(await desk.image(hashOf(WORK)), await desk.image(hashOf("ben@example.org")));
    assert.equal((await ben.post("/me/avatar", { seed: "ben" })).body.version, 7);
  });

  test(`${home}: a moved address that shows nothing keeps its version until the next save`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person("anna@example.org");
    await anna.connect(WORK);
    await anna.post("/me/avatar", {});
    await anna.post("/me/avatar", {});
    await anna.remove("/me/emails", { email: WORK });
    const ben = await desk.person("ben@example.org");
    await ben.connect(WORK);
    assert.deepEqual(await versions(desk, "ben@example.org", WORK), [0, 2]);
    assert.equal((await ben.post("/me/avatar", {})).body.version, 3);
    assert.deepEqual(await versions(desk, "ben@example.org", WORK), [3, 3]);
  });

  test(`${home}: an account's version does not go down either when all its addresses have changed`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person("anna@example.org");
    for (const seed of ["1", "2", "3"]) await anna.post("/me/avatar", { seed });
    await anna.remove("/me/avatar");
    // An address that never showed anything takes the place of the one that did.
    await anna.connect(WORK);
    await anna.post("/me/emails/primary", { email: WORK });
    await anna.remove("/me/emails", { email: "anna@example.org" });
    assert.deepEqual(await versions(desk, "anna@example.org", WORK), [3, 0]);
    assert.equal((await anna.post("/me/avatar", { seed: "4" })).body.version, 4);
    assert.deepEqual(await versions(desk, "anna@example.org", WORK), [3, 4]);
  });

  test(`${home}: a save through any copy is seen through every copy by the very next read`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person("anna@example.org");
    const read = async (copy: (typeof desk.copies)[number], path: string) => copy.media.inject(path);
    for (const [i, through] of desk.copies.entries()) {
      for (const copy of desk.copies) await read(copy, `/${ANNA}`);
      const saved = await through.api.inject({
        method: "POST",
        url: "/me/avatar",
        headers: { cookie: anna.cookie },
        payload: { collection: "identicon", seed: String(i) },
      });
      const { version } = saved.json();
      assert.equal(version, i + 1);
      const seen = await Promise.all(
        desk.copies.map(async (copy) => ({
          version: (await read(copy, `/${ANNA}.json`)).json().version,
          image: (await read(copy, `/${ANNA}`)).rawPayload.toString("base64"),
        })),
      );
      for (const each of seen) assert.deepEqual(each, { version, image: seen[0]?.image });
      const design = { style: "identicon", seed: String(i), options: {} } as const;
      const { bytes } = await rememberedFaces.draw({ kind: "design", design, size: 80, format: "png" });
      assert.equal(seen[0]?.image, Buffer.from(bytes).toString("base64"));
    }
  });

  test(`${home}: what nobody shows any more is deleted by and by, without anybody asking for it`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person("anna@example.org");
    const stored = () => storedAddresses(desk.objectsFolder);
    const untilStored = async (howMany: number, notThese: readonly string[] = []) => {
      const isSo = () => stored().length === howMany && !stored().some((each) => notThese.includes(each));
      for (let tries = 0; tries < 10_000 && !isSo(); tries++) await delay(10);
      assert.ok(isSo(), `${stored().length} objects are stored`);
    };
    await anna.post("/me/avatar", { collection: "identicon", seed: "one" });
    await untilStored(STORED_SIZES.length);
    const first = stored();
    await anna.post("/me/avatar", { collection: "identicon", seed: "two" });
    await untilStored(STORED_SIZES.length, first);
    await anna.remove("/me/avatar");
    await untilStored(0);
    await anna.post("/me/avatar", { collection: "identicon", seed: "three" });
    await untilStored(STORED_SIZES.length);
    await anna.remove("/me", { confirm: "anna@example.org" });
    await untilStored(0);
  });

  test(`${home}: saves of one account at the same time all get a version of their own, and the last one shows everywhere`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person("anna@example.org");
    await anna.connect(WORK);
    const replies = await Promise.all(
      ["a", "b", "c", "d", "e"].map((seed) => anna.post("/me/avatar", { collection: "identicon", seed })),
    );
    assert.deepEqual(replies.map(({ body }) => body.version).sort(), [1, 2, 3, 4, 5]);
    const last = ["a", "b", "c", "d", "e"][replies.findIndex(({ body }) => body.version === 5)];
    const { avatar } = (await anna.get("/me/avatar")).body;
    assert.deepEqual([avatar.version, avatar.config.seed], [5, last]);
    assert.deepEqual(await desk.image(ANNA), await desk.image(hashOf(WORK)));
    assert.deepEqual(await versions(desk, "anna@example.org", WORK), [5, 5]);
  });

  test(`${home}: an animated picture is kept whole, a still one as PNG in all sizes`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person("anna@example.org");
    const frames = Buffer.concat(
      await Promise.all(
        ["red", "lime"].map((background) =>
          sharp({ create: { width: 20, height: 10, channels: 3, background } })
            .raw()
            .toBuffer(),
        ),
      ),
    );
    const gif = await sharp(frames, { raw: { width: 20, height: 20, channels: 3, pageHeight: 10 } })
      .gif({ delay: [100, 100] })
      .toBuffer();
    assert.deepEqual((await anna.upload(gif)).body, {
      ok: true,
      kind: "uploaded",
      version: 1,
      hashes: [ANNA],
    });
    assert.deepEqual(await desk.image(ANNA, "?s=16"), gif);
    const { avatar } = (await anna.get("/me/avatar")).body;
    assert.deepEqual([avatar.kind, avatar.collection, avatar.config], ["uploaded", null, {}]);
  });
}

test("a preview shows the design as SVG and saves nothing", async (t) => {
  const desk = await anyHome(t);
  const anna = await desk.person("anna@example.org");
  const preview = await anna.post("/me/avatar/preview", {
    collection: "avataaars",
    seed: "x",
    options: { topVariant: ["hat"], skinColor: "#ff8800" },
  });
  assert.equal(preview.headers["content-type"], "image/svg+xml");
  assert.match(preview.bytes.toString(), /^<svg .*#ff8800/s);
  assert.match(String(preview.headers["content-security-policy"]), /default-src 'none'/);
  assert.deepEqual((await anna.get("/me/avatar")).body, { avatar: null });
});
