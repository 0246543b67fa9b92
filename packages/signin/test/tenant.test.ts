import assert from "node:assert/strict";
import { test } from "node:test";
import { DatabaseAway } from "@frontdesk/store/database-away";
import { Secret, TOTP } from "otpauth";
import { sourceNetwork } from "../src/source-network.ts";
import { hotel } from "./tenant.ts";

const ANNA = "anna@example.org";
const limited = [429, { error: "rate_limited" }];
const told = ({ status, body }: { status: number; body: unknown }) => [status, body];

test("a service with accounts of its own kind signs people in, knows them again, and signs them out", async (t) => {
  const { guest, mails } = await hotel(t);
  const anna = guest();
  assert.deepEqual(told(await anna.call("GET", "/room")), [401, { error: "no_session" }]);
  assert.deepEqual(told(await anna.call("GET", "/auth/session")), [200, { signed_in: false }]);
  assert.deepEqual(told(await anna.signIn(ANNA)), [200, { ok: true }]);
  assert.deepEqual(told(await anna.call("GET", "/auth/session")), [200, { signed_in: true }]);
  assert.match(mails[0]?.text ?? "", /sign in to https:\/\/hotel\.example is/);
  assert.match(anna.cookie, /^hotel_session=/);
  assert.deepEqual((await anna.call("GET", "/room")).body, { guest: "1" });
  const again = guest();
  await again.signIn("ANNA@example.org");
  assert.deepEqual((await again.call("GET", "/room")).body, { guest: "1" });
  assert.equal((await again.call("GET", "/me/sessions")).body.sessions.length, 2);
  await again.call("POST", "/auth/logout-everywhere");
  assert.equal((await anna.call("GET", "/room")).status, 401);
});

test("a code with spaces in it is the code", async (t) => {
  const { guest, codeFor } = await hotel(t);
  const anna = guest();
  await anna.call("POST", "/auth/code", { email: ANNA });
  const code = codeFor(ANNA).replace(/(...)/, " $1 ");
  assert.equal((await anna.call("POST", "/auth/verify", { email: ANNA, code: `${code} ` })).status, 200);
});

test("turning the second factor on ends every other session, and asks for it from then on", async (t) => {
  const { guest, clock } = await hotel(t);
  const [here, elsewhere] = [guest(), guest()];
  await here.signIn(ANNA);
  await elsewhere.signIn(ANNA);
  const { secret } = (await here.call("POST", "/me/mfa/totp")).body;
  const phone = new TOTP({ secret: Secret.fromBase32(secret) });
  const now = () => phone.generate({ timestamp: clock.now() });
  const spaced = now().replace(/(...)/, "$1 ");
  const confirmed = await here.call("POST", "/me/mfa/totp/confirm", { totp: spaced });
  assert.equal(confirmed.body.recovery_codes.length, 10);
  assert.equal((await here.call("GET", "/room")).status, 200);
  assert.equal((await elsewhere.call("GET", "/room")).status, 401);
  assert.deepEqual(told(await elsewhere.signIn(ANNA)), [401, { error: "mfa_required" }]);
  clock.advance(30_000);
  assert.equal((await elsewhere.signIn(ANNA, now())).status, 200);
});

test("wrong codes are counted per network, across inboxes; a whole /64 is one network", async (t) => {
  const { guest } = await hotel(t, { guesses: 6 });
  const addresses = ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:0db8:0001:0002::7"];
  for (let i = 0; i < 6; i++) {
    const attacker = guest(addresses[i % 3]);
    const email = `victim${i}@example.org`;
    await attacker.call("POST", "/auth/code", { email });
    const guessed = await attacker.call("POST", "/auth/verify", { email, code: "x" });
    assert.equal(guessed.status, 401);
  }
  const attacker = guest("2001:db8:1:2::abc");
  const refused = await attacker.call("POST", "/auth/verify", { email: "more@example.org", code: "x" });
  assert.deepEqual(told(refused), limited);
  assert.ok(Number(refused.headers["retry-after"]) > 0);
  assert.equal((await guest("2001:db8:1:3::1").signIn(ANNA)).status, 200, "another network goes on");
});

test("a second factor is guessed so often an hour, however many codes are asked for", async (t) => {
  const { guest, clock } = await hotel(t, { factor_tries: 5 });
  const anna = guest();
  await anna.signIn(ANNA);
  const { secret } = (await anna.call("POST", "/me/mfa/totp")).body;
  const phone = new TOTP({ secret: Secret.fromBase32(secret) });
  await anna.call("POST", "/me/mfa/totp/confirm", { totp: phone.generate({ timestamp: clock.now() }) });
  const thief = guest("198.51.100.7");
  for (let i = 0; i < 4; i++)
    assert.deepEqual(told(await thief.signIn(ANNA, "000000")), [401, { error: "invalid_totp" }]);
  assert.deepEqual(told(await thief.signIn(ANNA, "000000")), limited);
});

test("whoever others have used up the tries at a second factor for uses up no guesses of the network", async (t) => {
  const { guest, clock } = await hotel(t, { factor_tries: 3, guesses: 2 });
  const anna = guest();
  await anna.signIn(ANNA);
  const { secret } = (await anna.call("POST", "/me/mfa/totp")).body;
  const phone = new TOTP({ secret: Secret.fromBase32(secret) });
  await anna.call("POST", "/me/mfa/totp/confirm", { totp: phone.generate({ timestamp: clock.now() }) });
  for (const address of ["198.51.100.7", "198.51.101.7"]) await guest(address).signIn(ANNA, "000000");
  for (let i = 0; i < 3; i++)
    assert.deepEqual(told(await guest("192.0.2.1").signIn(ANNA, "000000")), limited);
  assert.equal((await guest("192.0.2.1").signIn("bert@example.org")).status, 200, "the neighbours go on");
});

test("secrets for an authenticator are made so often an hour", async (t) => {
  const { guest } = await hotel(t, { factor_begins: 2 });
  const anna = guest();
  await anna.signIn(ANNA);
  for (let i = 0; i < 2; i++) assert.equal((await anna.call("POST", "/me/mfa/totp")).status, 200);
  assert.deepEqual(told(await anna.call("POST", "/me/mfa/totp")), limited);
});

test("whoever is gone before their address was looked at counts as somebody from nowhere", () => {
  assert.deepEqual(sourceNetwork(undefined), { host: "unknown", network: "unknown" });
});

test("nobody keeps somebody else from signing in by asking for codes", async (t) => {
  const { guest } = await hotel(t, { mail_per_inbox: 5, mail_per_inbox_in_all: 20 });
  const attacker = guest("203.0.113.1");
  for (let i = 0; i < 5; i++)
    assert.equal((await attacker.call("POST", "/auth/code", { email: ANNA })).status, 200);
  assert.deepEqual(told(await attacker.call("POST", "/auth/code", { email: ANNA })), limited);
  assert.equal((await guest("192.0.2.1").signIn(ANNA)).status, 200);
});

test("guesses that are made at once are counted one by one", async (t) => {
  const { guest } = await hotel(t, { guesses: 3 });
  const attackers = Array.from({ length: 40 }, () => guest("203.0.113.1"));
  const replies = await Promise.all(
    attackers.map((each, i) => each.call("POST", "/auth/verify", { email: `v${i}@example.org`, code: "x" })),
  );
  assert.equal(replies.filter(({ status }) => status === 401).length, 3);
  assert.equal(replies.filter(({ status }) => status === 429).length, 37);
});

test("right codes use up no guesses", async (t) => {
  const { guest } = await hotel(t, { guesses: 1, factor_tries: 2 });
  for (let i = 0; i < 3; i++) assert.equal((await guest().signIn(ANNA)).status, 200);
});

test("who has signed in before is not locked out by others at the same address", async (t) => {
  const { guest } = await hotel(t, {
    mail_per_sender: 5,
    mail_per_inbox: 2,
    guesses: 3,
    guesses_per_network: 4,
  });
  const office = "192.0.2.1";
  const anna = guest(office);
  await anna.signIn(ANNA);
  await anna.call("POST", "/auth/logout");
  const attacker = guest(office);
  for (let i = 0; i < 4; i++) await attacker.call("POST", "/auth/code", { email: `v${i}@example.org` });
  assert.deepEqual(told(await attacker.call("POST", "/auth/code", { email: "v@example.org" })), limited);
  for (let i = 0; i < 3; i++) await attacker.call("POST", "/auth/verify", { email: ANNA, code: "x" });
  assert.deepEqual(told(await attacker.signIn(ANNA)), limited);
  assert.equal((await guest("192.0.2.2").signIn("bert@example.org")).status, 200, "nor are the neighbours");
  assert.equal((await anna.signIn(ANNA)).status, 200);
  assert.deepEqual(
    told(await anna.call("POST", "/auth/code", { email: "carl@example.org" })),
    limited,
    "being known for one inbox is no help with another",
  );
  await anna.call("POST", "/auth/code", { email: ANNA });
  assert.deepEqual(
    told(await anna.call("POST", "/auth/code", { email: ANNA })),
    limited,
    "and has its own limit",
  );
});

test("nobody uses up the tries of a code that a known browser has asked for", async (t) => {
  const { guest, codeFor } = await hotel(t);
  const [anna, mallory] = [guest("192.0.2.1"), guest("203.0.113.9")];
  await anna.signIn(ANNA);
  await anna.call("POST", "/auth/code", { email: ANNA });
  const code = codeFor(ANNA);
  const wrong = code === "000000" ? "000001" : "000000";
  for (let i = 0; i < 5; i++)
    assert.equal((await mallory.call("POST", "/auth/verify", { email: ANNA, code: wrong })).status, 401);
  assert.equal((await anna.call("POST", "/auth/verify", { email: ANNA, code })).status, 200);
  assert.equal((await anna.call("POST", "/auth/verify", { email: ANNA, code })).status, 401, "once");
  await anna.call("POST", "/auth/code", { email: ANNA });
  for (let i = 0; i < 5; i++)
    await anna.call("POST", "/auth/verify", {
      email: ANNA,
      code: codeFor(ANNA) === wrong ? "000002" : wrong,
    });
  const right = { email: ANNA, code: codeFor(ANNA) };
  assert.equal((await anna.call("POST", "/auth/verify", right)).status, 401, "five tries are hers, too");
});

test("a code that another browser has asked for is good in a known one", async (t) => {
  const { guest, codeFor } = await hotel(t);
  const [anna, phone] = [guest(), guest()];
  await anna.signIn(ANNA);
  await phone.call("POST", "/auth/code", { email: ANNA });
  const code = codeFor(ANNA);
  assert.equal((await anna.call("POST", "/auth/verify", { email: ANNA, code })).status, 200);
  assert.equal((await phone.call("POST", "/auth/verify", { email: ANNA, code })).status, 401, "once");
});

test("a mail server that is away uses up nobody's mails; one that refuses an inbox for good does", async (t) => {
  const { guest, mailServer } = await hotel(t, { mail_per_inbox: 2, mail_per_sender: 3 });
  const anna = guest();
  const ask = async () => (await anna.call("POST", "/auth/code", { email: ANNA })).status;
  mailServer.failure = new Error("connect ECONNREFUSED");
  for (let i = 0; i < 5; i++) assert.equal(await ask(), 502);
  mailServer.failure = Object.assign(new Error("no such user"), {
    code: "EENVELOPE",
    command: "RCPT TO",
    responseCode: 550,
  });
  assert.equal(await ask(), 502);
  delete mailServer.failure;
  assert.deepEqual([await ask(), await ask()], [200, 429]);
});

test("an address that moves to another account while it signs in brings nobody past the second factor of that one", async (t) => {
  const { guest, database, clock } = await hotel(t);
  const [anna, bert] = [guest(), guest()];
  await anna.signIn(ANNA);
  await bert.signIn("bert@example.org");
  const { secret } = (await bert.call("POST", "/me/mfa/totp")).body;
  const totp = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now() });
  assert.equal((await bert.call("POST", "/me/mfa/totp/confirm", { totp })).status, 200);
  const owners: string[] = [];
  for (const each of [anna, bert]) owners.push((await each.call("GET", "/room")).body.guest);
  const [first = ""] = owners;
  const next = async () => owners.shift() ?? assert.fail("asked for once more");
  const moving = { find: next, findOrCreate: next };
  database.accounts = moving;
  const elsewhere = guest();
  assert.equal((await elsewhere.signIn(ANNA)).status, 200);
  assert.equal((await elsewhere.call("GET", "/room")).body.guest, first);
});

test("a database that is away uses up nobody's mails, guesses and tries", async (t) => {
  const { guest, database, codeFor, clock } = await hotel(t, {
    mail_per_inbox: 2,
    guesses: 2,
    factor_begins: 1,
    factor_tries: 1,
  });
  const anna = guest();
  const inVain = async (url: string, body?: object) => {
    database.failure = new DatabaseAway(new Error("database is locked"));
    for (let i = 0; i < 3; i++) assert.equal((await anna.call("POST", url, body)).status, 503, url);
    delete database.failure;
  };
  await inVain("/auth/code", { email: ANNA });
  await anna.call("POST", "/auth/code", { email: ANNA });
  const code = codeFor(ANNA);
  await inVain("/auth/verify", { email: ANNA, code });
  assert.equal((await anna.call("POST", "/auth/verify", { email: ANNA, code })).status, 200);
  await inVain("/me/mfa/totp");
  const { secret } = (await anna.call("POST", "/me/mfa/totp")).body;
  const totp = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now() });
  await inVain("/me/mfa/totp/confirm", { totp });
  assert.equal((await anna.call("POST", "/me/mfa/totp/confirm", { totp })).status, 200);
});

test("callers are counted by address and by network", () => {
  const sources: Array<[address: string, host: string, network: string]> = [
    ["192.0.2.77", "192.0.2.77", "192.0.2.0/24"],
    ["192.0.2.77:555", "192.0.2.77", "192.0.2.0/24"],
    ["::ffff:192.0.2.77", "192.0.2.77", "192.0.2.0/24"],
    ["2001:db8::1", "2001:db8:0:0::/64", "2001:db8:0::/48"],
    ["[2001:db8::1]:443", "2001:db8:0:0::/64", "2001:db8:0::/48"],
    ["2001:db8:a:b:c:d:e:f", "2001:db8:a:b::/64", "2001:db8:a::/48"],
    ["fe80::1%eth0", "fe80:0:0:0::/64", "fe80:0:0::/48"],
    ["::1", "0:0:0:0::/64", "0:0:0::/48"],
    ["nonsense", "unknown", "unknown"],
    ["1.2.3.999:5", "unknown", "unknown"],
  ];
  for (const [address, host, network] of sources)
    assert.deepEqual(sourceNetwork(address), { host, network }, address);
});
