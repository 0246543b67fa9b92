import assert from "node:assert/strict";
import { test } from "node:test";
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

test("nobody keeps somebody else from signing in by asking for codes", async (t) => {
  const { guest } = await hotel(t, { mail_per_inbox: 5, mail_per_inbox_in_all: 20 });
  const attacker = guest("203.0.113.1");
  for (let i = 0; i < 5; i++)
    assert.equal((await attacker.call("POST", "/auth/code", { email: ANNA })).status, 200);
  assert.deepEqual(told(await attacker.call("POST", "/auth/code", { email: ANNA })), limited);
  assert.equal((await guest("192.0.2.1").signIn(ANNA)).status, 200);
});

test("callers of one network count as one", () => {
  const networks: Array<[address: string, network: string]> = [
    ["192.0.2.77", "192.0.2.0/24"],
    ["::ffff:192.0.2.77", "192.0.2.0/24"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8:a:b:c:d:e:f", "2001:db8:a:b::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["nonsense", "unknown"],
  ];
  for (const [address, network] of networks) assert.equal(sourceNetwork(address), network, address);
});
