import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { fakeClock } from "@frontdesk/testkit/clock";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { siteOf } from "../src/domain/pairings.ts";
import { administer, bridge, ORIGIN, speak } from "./support.ts";

const MINUTE = 60_000;

function desk(t: TestContext) {
  const clock = fakeClock();
  const { access, close } = administer(temporaryHome(t), clock);
  t.after(close);
  const ask = (origin = ORIGIN, claim?: string) => access.offerPairing(origin, "", claim);
  /** A page, or whoever takes its name, that asks without end. */
  const asker = (origin = ORIGIN) => {
    let claim = ask(origin)?.claim;
    return () => {
      claim = ask(origin, claim)?.claim ?? claim;
    };
  };
  return { clock, access, ask, asker, codes: () => access.pairings().map(({ code }) => code) };
}

test("requests that are kept alive in an origin's name keep its new browsers out for three minutes, not for good", (t) => {
  const { clock, access, ask, asker, codes } = desk(t);
  access.approve(ORIGIN);
  const program = Array.from({ length: 5 }, () => asker());
  const [oldest, ...others] = codes();
  for (let waited = 0; waited < 3 * MINUTE; waited += 2_000) {
    assert.equal(ask(), undefined, "each has time to be compared");
    clock.advance(2_000);
    for (const again of program) again();
  }
  const browser = ask();
  assert.ok(browser, "the next one finds a place");
  assert.deepEqual(codes(), [...others, browser.code], "that of the one that waited longest");
  assert.ok(!codes().includes(oldest ?? ""));
  for (let waited = 0; waited < 3 * MINUTE - 2_000; waited += 2_000) {
    clock.advance(2_000);
    for (const again of program) again();
    assert.equal(ask(ORIGIN, browser.claim)?.code, browser.code, "and keeps it as long");
  }
  access.approve(ORIGIN, { code: browser.code });
  clock.advance(5_000);
  assert.equal(ask(ORIGIN, browser.claim)?.code, browser.code);
  for (const again of program) again();
  assert.ok(
    access.redeem(browser.claim, ORIGIN),
    "one that was let in is not pushed out before it fetches its token",
  );
});

test("as many origins as a program can name keep others out for three minutes at most", (t) => {
  const { clock, ask, asker } = desk(t);
  const program = Array.from({ length: 100 }, (_, n) => asker(`https://site${n}.example`));
  assert.equal(ask(), undefined);
  for (let waited = 0; waited < 3 * MINUTE; waited += 5_000) {
    clock.advance(5_000);
    for (const again of program) again();
  }
  assert.ok(ask());
});

test("pages that have fallen silent make room, whatever origin they were of", (t) => {
  const { clock, ask } = desk(t);
  for (let n = 0; n < 100; n++) assert.ok(ask(`https://site${n}.example`));
  assert.equal(ask(), undefined);
  clock.advance(10_000);
  assert.ok(ask());
});

test("the administrator is told for a minute that a page found no place, and of which origin", (t) => {
  const { clock, access, ask } = desk(t);
  let told = 0;
  access.onPairing(() => told++);
  for (let n = 0; n < 5; n++) ask();
  assert.deepEqual(access.crowded(), []);
  told = 0;
  for (let n = 0; n < 100; n++) ask();
  assert.equal(told, 1, "not at each request");
  assert.deepEqual(
    access.crowded().map(({ origin }) => origin),
    [ORIGIN],
  );
  clock.advance(MINUTE);
  assert.deepEqual(access.crowded(), []);
});

test("origins that found no place are a few, however many ask", (t) => {
  const { access, ask } = desk(t);
  for (let n = 0; n < 300; n++) ask(`https://site${n}.example`);
  assert.equal(access.crowded().length, 20);
  assert.equal(access.crowded().at(-1)?.origin, "https://site299.example");
});

test("the console's list of pages that wait tells which found no place", async (t) => {
  const { url, http, adminToken } = await bridge(t);
  for (let n = 0; n < 6; n++) await (await speak(t, url)).call("hello");
  const response = await fetch(`${http}/api/v1/admin/pairings`, {
    headers: { authorization: `Bearer ${adminToken}` },
  });
  const { pairings, crowded } = (await response.json()) as {
    pairings: unknown[];
    crowded: Array<{ origin: string }>;
  };
  assert.equal(pairings.length, 5);
  assert.deepEqual(
    crowded.map(({ origin }) => origin),
    [ORIGIN],
  );
});

test("a page that finds no place is told that it may ask again; one of a denied origin is not", async (t) => {
  const { url, access } = await bridge(t);
  const hello = async () => (await (await speak(t, url)).call("hello")).error;
  for (let n = 0; n < 5; n++) assert.ok((await hello())?.details?.pairing);
  const crowded = await hello();
  assert.deepEqual([crowded?.code, crowded?.retryable], ["ORIGIN_DENIED", true]);
  assert.deepEqual(crowded?.details, { crowded: true, retryAfterMs: 2_000 });
  access.deny(ORIGIN);
  const denied = await hello();
  assert.deepEqual([denied?.code, denied?.retryable, denied?.details], ["ORIGIN_DENIED", false, undefined]);
});

test("a site is what one owner has, below a country's kinds of owners too", () => {
  for (const [origin, site] of [
    ["https://a.b.example.com", "example.com"],
    ["https://shop.co.uk", "shop.co.uk"],
    ["https://www.shop.co.uk:8443", "shop.co.uk"],
    ["https://www.school.ac.jp", "school.ac.jp"],
    ["https://www.shop.de", "shop.de"],
    ["http://localhost:3000", "localhost"],
  ] as const)
    assert.equal(siteOf(origin), site);
});
