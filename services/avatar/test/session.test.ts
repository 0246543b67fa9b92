import assert from "node:assert/strict";
import { test } from "node:test";
import { heldRequest } from "@frontdesk/testkit/held-request";
import sharp from "sharp";
import { API_URL, HOMES, hashOf } from "./avatar-under-test.ts";

const ANNA = hashOf("anna@example.org");

for (const [home, open] of Object.entries(HOMES)) {
  test(`${home}: a person signs in with the code from the outbox, designs, uploads, removes and signs out`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person("anna@example.org");
    const { user } = (await anna.get("/me")).body;
    assert.deepEqual((await anna.get("/me")).body, {
      user: {
        first_name: null,
        last_name: null,
        name: "anna",
        name_version: user.name_version,
        id: user.id,
        email: "anna@example.org",
        hash: ANNA,
      },
      emails: [{ email: "anna@example.org", hash: ANNA, verified: true, primary: true }],
      is_admin: false,
    });
    assert.deepEqual((await anna.get("/me/avatar")).body, { avatar: null });

    const generated = await desk.image(ANNA);
    const options = { topVariant: "hat" };
    assert.deepEqual((await anna.post("/me/avatar", { collection: "avataaars", options })).body, {
      ok: true,
      kind: "designed",
      collection: "avataaars",
      version: 1,
      hashes: [ANNA],
    });
    assert.notDeepEqual(await desk.image(ANNA), generated);
    assert.deepEqual((await anna.get("/me/avatar")).body.avatar, {
      kind: "designed",
      collection: "avataaars",
      config: { seed: ANNA, options },
      version: 1,
      updated_at: "2026-05-06T07:08:09.000Z",
    });

    const photo = await sharp({ create: { width: 30, height: 20, channels: 3, background: "red" } })
      .jpeg()
      .toBuffer();
    assert.deepEqual((await anna.upload(photo)).body, {
      ok: true,
      kind: "uploaded",
      version: 2,
      hashes: [ANNA],
    });
    assert.deepEqual((await anna.remove("/me/avatar")).body, { ok: true, deleted: true, hashes: [ANNA] });
    assert.deepEqual(await desk.image(ANNA), generated);
    assert.deepEqual((await anna.remove("/me/avatar")).body, { ok: true, deleted: false, hashes: [ANNA] });

    const { cookie } = anna;
    assert.deepEqual((await anna.post("/auth/logout")).body, { ok: true });
    anna.cookie = cookie;
    assert.deepEqual((await anna.get("/me")).body, { error: "no_session" });
  });

  test(`${home}: a write whose session ended while its body was on the way is refused`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person("anna@example.org");
    const [copy] = desk.copies;
    assert.ok(copy);
    await copy.api.listen({ host: "127.0.0.1", port: 0 });
    const { port } = copy.api.server.address() as { port: number };
    const body = { collection: "avataaars", options: { topVariant: "hat" } };
    const held = await heldRequest(`http://127.0.0.1:${port}/me/avatar`, {
      method: "POST",
      headers: { cookie: anna.cookie ?? "", host: new URL(API_URL).host, origin: API_URL },
      body,
    });
    assert.equal((await anna.post("/auth/logout-everywhere")).status, 200);
    assert.equal(await held.finish(), 401);
    const again = await desk.person("anna@example.org");
    assert.deepEqual((await again.get("/me/avatar")).body, { avatar: null });
  });
}
