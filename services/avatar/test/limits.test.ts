import assert from "node:assert/strict";
import { test } from "node:test";
import { HOMES, type Reply } from "./avatar-under-test.ts";

/** As the design has them; the other tests run with more. */
const DESIGNED = {
  AVATAR_MAILS_PER_INBOX: "5",
  AVATAR_MAILS_PER_SENDER: "20",
  AVATAR_WRITES: "60",
  AVATAR_NAMES: "10",
  AVATAR_PHOTOS: "5",
  AVATAR_GRANTS: "60",
  AVATAR_FACTOR_TRIES: "20",
  AVATAR_GUESSES: "30",
};

function assertLimited({ status, body, headers }: Reply): void {
  assert.deepEqual([status, body], [429, { error: "rate_limited" }]);
  const seconds = Number(headers["retry-after"]);
  assert.ok(seconds > 0 && seconds <= 3_600, `Retry-After is ${headers["retry-after"]}`);
}

for (const [home, open] of Object.entries(HOMES)) {
  test(`${home}: five codes an hour go to one inbox for one network or account, and twenty in all`, async (t) => {
    const desk = await open(t, DESIGNED);
    const stranger = desk.stranger("anna@example.org");
    const ask = (email: string, from: string) =>
      stranger.call("POST", "/auth/code", { body: { email }, from });
    for (let i = 0; i < 5; i++)
      assert.equal((await ask(i % 2 ? "ANNA@example.org" : "anna@example.org", `192.0.2.${i}`)).status, 200);
    assertLimited(await ask("anna@example.org", "192.0.2.9"));
    const ben = await desk.person("ben@example.org");
    for (let i = 0; i < 5; i++)
      assert.equal((await ben.post("/me/emails", { email: "anna@example.org" })).status, 200);
    assertLimited(await ben.post("/me/emails", { email: "anna@example.org" }));
    for (let i = 0; i < 10; i++)
      assert.equal((await ask("anna@example.org", `198.51.${i}.1`)).status, 200, "others are not locked out");
    assertLimited(await ask("anna@example.org", "203.0.113.1"));
    assert.equal((await ask("carl@example.org", "192.0.2.9")).status, 200);
  });

  test(`${home}: several accounts in one network lock nobody out of a new inbox`, async (t) => {
    const desk = await open(t, DESIGNED);
    const email = "new@example.org";
    const statuses: number[] = [];
    for (const name of ["a", "b", "c", "d"]) {
      const account = await desk.person(`${name}@example.org`);
      for (let i = 0; i < 5; i++) statuses.push((await account.post("/me/emails", { email })).status);
    }
    assert.deepEqual(
      statuses.map((status, i) => status === (i < 5 ? 200 : 429)),
      statuses.map(() => true),
    );
    const stranger = desk.stranger(email);
    assert.equal(
      (await stranger.call("POST", "/auth/code", { body: { email }, from: "198.51.100.7" })).status,
      200,
    );
  });

  test(`${home}: whether an address has an account is told to nobody more often than the limit lets them ask`, async (t) => {
    const desk = await open(t, { ...DESIGNED, AVATAR_MAILS_PER_SENDER: "4" });
    const [ben] = [await desk.person("ben@example.org"), await desk.person("anna@example.org")];
    for (let i = 0; i < 4; i++)
      assert.equal((await ben.post("/me/emails", { email: "anna@example.org" })).status, 409);
    assertLimited(await ben.post("/me/emails", { email: "anna@example.org" }));
  });

  test(`${home}: wrong codes from one network are counted together, for signing in and for addresses`, async (t) => {
    const desk = await open(t, { ...DESIGNED, AVATAR_GUESSES: "3" });
    const anna = await desk.person("anna@example.org");
    const email = "work@example.org";
    await anna.post("/me/emails", { email });
    for (let i = 0; i < 3; i++)
      assert.equal((await anna.post("/me/emails/verify", { email, code: "x" })).status, 401);
    assertLimited(await anna.post("/me/emails/verify", { email, code: desk.codeFor(email) }));
    const stranger = desk.stranger("bert@example.org");
    assertLimited(await stranger.post("/auth/verify", { email: stranger.email, code: "x" }));
  });

  test(`${home}: twenty codes an hour are sent for one caller, and for one account`, async (t) => {
    const desk = await open(t, DESIGNED);
    const stranger = desk.stranger("x@example.org");
    for (let i = 0; i < 20; i++) {
      const body = { email: `x${i}@example.org` };
      assert.equal((await stranger.call("POST", "/auth/code", { body, from: "192.0.2.1" })).status, 200);
    }
    assertLimited(
      await stranger.call("POST", "/auth/code", { body: { email: "x20@example.org" }, from: "192.0.2.1" }),
    );
    const anna = await desk.person("anna@example.org");
    for (let i = 0; i < 20; i++)
      assert.equal((await anna.post("/me/emails", { email: `a${i}@example.org` })).status, 200);
    assertLimited(await anna.post("/me/emails", { email: "a20@example.org" }));
  });

  test(`${home}: sixty avatar writes an hour, ten names, five photos`, async (t) => {
    const desk = await open(t, { ...DESIGNED, AVATAR_VISION_URL: "http://127.0.0.1:1/v1" });
    const anna = await desk.person("anna@example.org");
    for (let i = 0; i < 60; i++) assert.equal((await anna.remove("/me/avatar")).status, 200);
    assertLimited(await anna.remove("/me/avatar"));
    assertLimited(await anna.post("/me/avatar", {}));
    assertLimited(await anna.upload(Buffer.from("x")));
    for (let i = 0; i < 10; i++) assert.equal((await anna.post("/me/name", {})).status, 400);
    assertLimited(await anna.post("/me/name", { first_name: "Anna" }));
    for (let i = 0; i < 5; i++)
      assert.equal((await anna.upload(Buffer.from("x"), "/me/avatar/from-photo")).status, 415);
    assertLimited(await anna.upload(Buffer.from("x"), "/me/avatar/from-photo"));
    const ben = await desk.person("ben@example.org");
    assert.equal((await ben.post("/me/name", { first_name: "Ben" })).status, 200);
  });

  test(`${home}: sixty grants an hour by one admin, twenty tries at the second factor`, async (t) => {
    const desk = await open(t, { ...DESIGNED, AVATAR_ADMINS: "root@example.org" });
    const root = await desk.person("root@example.org");
    for (let i = 0; i < 60; i++)
      assert.equal((await root.post("/platform/admins", { email: "nobody@example.org" })).status, 404);
    assertLimited(await root.post("/platform/admins", { email: "root@example.org" }));
    const anna = await desk.person("anna@example.org");
    for (let i = 0; i < 20; i++) {
      const ask =
        i % 2 ? anna.post("/me/mfa/totp/confirm", { totp: "1" }) : anna.remove("/me/mfa/totp", { totp: "1" });
      assert.equal((await ask).status, 409);
    }
    assertLimited(await anna.post("/me/mfa/totp/confirm", { totp: "1" }));
    assertLimited(await anna.remove("/me/mfa/totp", { totp: "1" }));
  });
}
