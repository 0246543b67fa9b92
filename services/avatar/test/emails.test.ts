import assert from "node:assert/strict";
import { test } from "node:test";
import { HOMES, hashOf } from "./avatar-under-test.ts";

const WORK = "anna@work.example";

for (const [home, open] of Object.entries(HOMES)) {
  test(`${home}: an address is claimed, verified, promoted and removed`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person("anna@example.org");
    const pending = { email: WORK, hash: hashOf(WORK), verified: false, primary: false };
    assert.deepEqual((await anna.post("/me/emails", { email: " Anna@Work.Example " })).body, {
      ok: true,
      email: pending,
    });
    assert.deepEqual((await anna.get("/me/emails")).body.emails[1], pending);

    const code = desk.codeFor(WORK);
    const verified = { ...pending, verified: true };
    assert.deepEqual((await anna.post("/me/emails/verify", { email: WORK, code })).body, {
      ok: true,
      email: verified,
    });

    const promoted = await anna.post("/me/emails/primary", { email: WORK });
    const old = {
      email: "anna@example.org",
      hash: hashOf("anna@example.org"),
      verified: true,
      primary: false,
    };
    assert.deepEqual(promoted.body, {
      ok: true,
      email: { ...verified, primary: true },
      emails: [{ ...verified, primary: true }, old],
    });
    const { user } = (await anna.get("/me")).body;
    assert.deepEqual([user.email, user.hash], [WORK, hashOf(WORK)]);

    assert.deepEqual((await anna.remove("/me/emails", { email: old.email })).body, { ok: true });
    assert.deepEqual((await anna.get("/me/emails")).body.emails, [{ ...verified, primary: true }]);
  });

  test(`${home}: claiming one's own address again changes nothing and mails nothing`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person("anna@example.org");
    const mails = desk.mails().length;
    const { status, body } = await anna.post("/me/emails", { email: "anna@example.org" });
    assert.deepEqual([status, body.email.verified, body.email.primary], [200, true, true]);
    assert.equal(desk.mails().length, mails);
  });

  test(`${home}: a pending claim can be asked for again, and only the newest code is good`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person("anna@example.org");
    await anna.post("/me/emails", { email: WORK });
    const first = desk.codeFor(WORK);
    desk.clock.advance(1_000);
    await anna.post("/me/emails", { email: WORK });
    const second = desk.codeFor(WORK);
    if (first !== second) {
      const { status, body } = await anna.post("/me/emails/verify", { email: WORK, code: first });
      assert.deepEqual([status, body.error], [401, "invalid_code"]);
    }
    assert.equal((await anna.post("/me/emails/verify", { email: WORK, code: second })).status, 200);
    assert.equal((await anna.get("/me/emails")).body.emails.length, 2);
  });

  test(`${home}: an address of another account can neither be claimed nor verified`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person("anna@example.org");
    const ben = await desk.person("ben@example.org");
    await ben.post("/me/emails", { email: WORK });
    const bensCode = desk.codeFor(WORK);
    assert.equal((await anna.connect(WORK)).status, 200);

    const claimed = await ben.post("/me/emails", { email: WORK });
    assert.deepEqual([claimed.status, claimed.body], [409, { error: "email_taken" }]);
    const verified = await ben.post("/me/emails/verify", { email: WORK, code: bensCode });
    assert.deepEqual([verified.status, verified.body], [409, { error: "email_taken" }]);
    assert.equal((await ben.get("/me/emails")).body.emails[1].verified, false);
  });

  test(`${home}: of two accounts that verify one address at the same instant one wins, nothing half-done`, async (t) => {
    const desk = await open(t);
    const people = [await desk.person("anna@example.org"), await desk.person("ben@example.org")];
    const codes: string[] = [];
    for (const [i, person] of people.entries()) {
      await person.post("/me/avatar", { collection: i === 0 ? "bottts" : "identicon" });
      await person.post("/me/emails", { email: WORK });
      codes.push(desk.codeFor(WORK));
    }
    const replies = await Promise.all(
      people.map((person, i) => person.post("/me/emails/verify", { email: WORK, code: codes[i] })),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409]);
    const winner = replies.findIndex(({ status }) => status === 200);
    assert.deepEqual(replies[1 - winner]?.body, { error: "email_taken" });
    const verified = await Promise.all(
      people.map(async (person) => (await person.get("/me/emails")).body.emails[1].verified),
    );
    assert.deepEqual(verified, [winner === 0, winner === 1]);
    const own = hashOf(people[winner]?.email as string);
    assert.deepEqual(await desk.image(hashOf(WORK)), await desk.image(own));
  });

  test(`${home}: one code that is sent many times at once is good once`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person("anna@example.org");
    await anna.post("/me/emails", { email: WORK });
    const code = desk.codeFor(WORK);
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => anna.post("/me/emails/verify", { email: WORK, code })),
    );
    const statuses = replies.map(({ status }) => status).sort();
    assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join());
    assert.ok(
      statuses.every((status) => [200, 401, 409].includes(status)),
      statuses.join(),
    );
  });

  test(`${home}: the primary address cannot be removed, an unknown one neither removed nor promoted`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person("anna@example.org");
    const ben = await desk.person("ben@example.org");
    await anna.post("/me/emails", { email: WORK });
    const refusals = [
      [await anna.remove("/me/emails", { email: "anna@example.org" }), 409, "primary_email"],
      [await anna.remove("/me/emails", { email: "nobody@example.org" }), 404, "email_not_found"],
      [await anna.remove("/me/emails", { email: ben.email }), 404, "email_not_found"],
      [await anna.post("/me/emails/primary", { email: WORK }), 404, "email_not_verified"],
      [await anna.post("/me/emails/primary", { email: ben.email }), 404, "email_not_verified"],
    ] as const;
    for (const [reply, status, error] of refusals)
      assert.deepEqual([reply.status, reply.body], [status, { error }]);
    assert.equal((await anna.get("/me/emails")).body.emails.length, 2);
    assert.deepEqual((await anna.remove("/me/emails", { email: WORK })).body, { ok: true });
    assert.equal((await anna.get("/me/emails")).body.emails.length, 1);
  });

  test(`${home}: a code for signing in verifies no claim, and a claim's code signs nobody in`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person("anna@example.org");
    const stranger = desk.stranger(WORK);
    await stranger.post("/auth/code", { email: WORK });
    const signInCode = desk.codeFor(WORK);
    const asClaim = await anna.post("/me/emails/verify", { email: WORK, code: signInCode });
    assert.deepEqual([asClaim.status, asClaim.body], [401, { error: "invalid_code" }]);

    await anna.post("/me/emails", { email: WORK });
    const claimCode = desk.codeFor(WORK);
    if (claimCode !== signInCode) {
      const asSignIn = await stranger.post("/auth/verify", { email: WORK, code: claimCode });
      assert.deepEqual([asSignIn.status, asSignIn.body], [401, { error: "invalid_code" }]);
    }
    assert.equal((await stranger.post("/auth/verify", { email: WORK, code: signInCode })).status, 200);
    const late = await anna.post("/me/emails/verify", { email: WORK, code: claimCode });
    assert.deepEqual([late.status, late.body], [409, { error: "email_taken" }]);
  });

  test(`${home}: an account has at most fifty addresses`, async (t) => {
    const desk = await open(t);
    const anna = await desk.person("anna@example.org");
    for (let i = 1; i < 50; i++) await anna.post("/me/emails", { email: `anna${i}@example.org` });
    const { status, body } = await anna.post("/me/emails", { email: "one-more@example.org" });
    assert.deepEqual([status, body], [409, { error: "too_many_emails" }]);
    assert.equal((await anna.post("/me/emails", { email: "anna1@example.org" })).status, 200);
  });
}
