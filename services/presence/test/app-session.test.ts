import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiProblems } from "@frontdesk/testkit/openapi-lint";
import { unpublished } from "@frontdesk/testkit/published-operations";
import { CLI } from "../src/domain/actor.ts";
import { createOrg } from "../src/domain/org.ts";
import { ROLES } from "../src/domain/records.ts";
import { FIRST_MEMBER, FIRST_ORG } from "../src/first-org.ts";
import { APP_OPERATIONS } from "../src/http/app-operation-schemas.ts";
import { APP_ROLE_TABLE } from "../src/http/app-role-table.ts";
import { appUnderTest } from "./app-under-test.ts";
import { ANNA, anyEngine, BERT, ENGINES, openPresence } from "./desk-under-test.ts";

/** What more than a member may do, said once more by hand: a row that is changed in the table by mistake is seen here. */
const RECEPTION = [
  "DELETE /orgs/:org/members/:id/status",
  "DELETE /orgs/:org/share-links/:id",
  "GET /orgs/:org/members/:id/ends",
  "GET /orgs/:org/share-links",
  "POST /orgs/:org/members/:id/status/undo",
  "POST /orgs/:org/share-links",
  "PUT /orgs/:org/members/:id/status",
];
const WITHOUT_ADMIN = /\/(board|stream|me|todos|projects)(\/|$)/;

test("every route against nobody, each role, members of other organisations, and another origin", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const other = { id: "01JGFJJZ000000000000000009", slug: "other", name: "Other", now: app.clock.now() };
  await createOrg(app.desk, CLI, { ...other, admin: { email: "o@example.org", name: "O" } });
  const callers = new Map<string, { cookie: string }>();
  for (const role of ROLES) {
    const email = `${role}@example.org`;
    await app.join(email, role);
    callers.set(role, { cookie: (await app.signIn(email)).cookie });
  }
  const stranger = { cookie: (await app.signIn("o@example.org")).cookie };
  const nobodys = { cookie: (await app.signIn("unknown@example.org")).cookie };

  // Nothing is found and nothing fits: only who may ask is looked at, and nothing happens.
  const send = async (route: string, headers: object) => {
    const [method = "", path = ""] = route.split(" ");
    const url = path.replace(":org", "acme").replace(/:\w+/g, "~nothing~");
    const reply = await app.app.inject({
      method: method as "GET",
      url: `/api/v1/app${url}`,
      headers: { "content-type": "application/nonsense", ...headers },
      ...(method === "GET" ? {} : { body: "nonsense" }),
    });
    return { status: reply.statusCode, code: reply.body.startsWith("{") ? reply.json().code : undefined };
  };
  const routes = Object.entries(APP_ROLE_TABLE).filter(([, needed]) => needed !== "anyone");
  assert.ok(routes.length > 60);
  for (const [route, needed] of routes) {
    assert.equal((await send(route, {})).code, "no_session", `${route} for nobody`);
    assert.equal((await send(route, { cookie: "presence_session=forged" })).code, "no_session", route);
    const isStream = route.endsWith("/stream");
    if (needed !== "person") {
      for (const [who, headers] of Object.entries({ stranger, nobodys }))
        assert.equal((await send(route, headers)).code, "org_not_found", `${route} for ${who}`);
      for (const [role, headers] of callers) {
        const may: boolean = ROLES.indexOf(role as "admin") >= ROLES.indexOf(needed as "admin");
        if (may && isStream) continue;
        const { status, code } = await send(route, headers);
        assert.equal(code === "forbidden" && status === 403, !may, `${route} for ${role}: ${status} ${code}`);
      }
    }
    if (route.startsWith("GET ")) continue;
    for (const origin of ["https://evil.example", "null", "http://presence.example.evil.example"])
      assert.equal((await send(route, { ...callers.get("admin"), origin })).code, "bad_origin", route);
    const crossSite = { ...callers.get("admin"), "sec-fetch-site": "cross-site" };
    assert.equal((await send(route, crossSite)).code, "bad_origin", route);
  }
  const ofRole = (role: string) => routes.filter(([, needed]) => needed === role).map(([route]) => route);
  assert.deepEqual(ofRole("reception").toSorted(), RECEPTION);
  for (const route of ofRole("member")) assert.match(route, WITHOUT_ADMIN);
});

test("every route in the role table is there, and the operations of the web app are what is published", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const document = (await app.app.inject("/api/v1/app/openapi.json")).json();
  const published = Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.keys(verbs as object).map(
      (verb) => `${verb.toUpperCase()} ${path.replace("/api/v1/app", "").replace(/\{(\w+)\}/g, ":$1")}`,
    ),
  );
  assert.deepEqual(published.toSorted(), Object.keys(APP_ROLE_TABLE).toSorted());
  assert.deepEqual(unpublished(document, APP_OPERATIONS, { base: "/api/v1/app" }), []);
  assert.deepEqual(
    (await openApiProblems(document)).filter((problem) => !problem.includes("no-ambiguous-paths")),
    [],
  );
  const external = (await app.app.inject("/api/v1/external/openapi.json")).body;
  assert.ok(
    !external.includes("/api/v1/app/"),
    "the integration API's document tells of its own routes alone",
  );
});

for (const { engine, database } of ENGINES) {
  test(`${engine}: signing in by a code, the second step, and signing out`, async (t) => {
    const app = await appUnderTest(t, database);
    const anna = await app.signIn(ANNA);
    assert.match(anna.cookie, /^presence_session=/);
    const { body } = await anna("GET", "/me");
    assert.equal(body.email, ANNA);
    assert.deepEqual(
      body.orgs.map(({ slug, name, role }: Record<string, string>) => [slug, name, role]),
      [["acme", "Acme", "admin"]],
    );
    assert.equal((await anna("GET", "/me/sessions")).body.sessions.length, 1);
    assert.equal((await anna("GET", "/me/mfa")).body.enabled, false);
    assert.match((await anna("POST", "/me/mfa/totp")).body.uri, /^otpauth:\/\/totp\/presence\.example/);

    const copy = engine === "postgres" ? await openPresence(t, app.databaseUrl, app.clock) : undefined;
    if (copy) {
      // Without shared keys a cookie of another copy opens nothing.
      const elsewhere = app.ask({ cookie: anna.cookie }, copy);
      assert.equal((await elsewhere("GET", "/me")).body.code, "no_session");
    }
    assert.equal((await anna("POST", "/auth/logout")).status, 200);
    assert.deepEqual((await anna("GET", "/auth/session")).body, { signed_in: false });
    const refused = await anna("GET", "/me");
    assert.deepEqual([refused.status, refused.body.code], [401, "no_session"]);
  });

  test(`${engine}: codes that are wrong, and addresses that are none, are refused with words`, async (t) => {
    const app = await appUnderTest(t, database);
    const anyone = app.ask({});
    const none = await anyone("POST", "/auth/code", { email: "nobody" });
    assert.deepEqual([none.status, none.body.code], [400, "invalid_email"]);
    const wrong = await anyone("POST", "/auth/verify", { email: ANNA, code: "000000" });
    assert.deepEqual([wrong.status, wrong.body.code], [401, "invalid_code"]);
    const bad = await anyone("POST", "/auth/code", { email: 5 });
    assert.deepEqual([bad.status, bad.body.errors[0].pointer], [422, "#/email"]);
    for (let i = 0; i < 5; i++) await anyone("POST", "/auth/code", { email: BERT });
    const often = await anyone("POST", "/auth/code", { email: BERT });
    assert.deepEqual([often.status, often.body.code], [429, "rate_limited"]);
    assert.doesNotMatch(often.body.title, /token/);
    assert.ok(Number(often.headers["retry-after"]) > 0);
  });
}

for (const { engine, database } of ENGINES) {
  test(`${engine}: a one-time link makes nothing once an organisation was made otherwise`, async (t) => {
    const app = await appUnderTest(t, anyEngine);
    const empty = await openPresence(t, await database(t), app.clock);
    const anyone = app.ask({}, empty);
    const make = (id: string, slug: string) =>
      createOrg(empty.desk, CLI, {
        id,
        slug,
        name: slug,
        now: app.clock.now(),
        admin: { email: slug === FIRST_ORG ? FIRST_MEMBER : ANNA, name: "" },
      });
    const secret = (await empty.firstRunSecret()) ?? "";
    await make("01JGFJJZ000000000000000001", FIRST_ORG);
    assert.equal((await anyone("POST", "/first-run/offer", { secret })).status, 200);
    await make("01JGFJJZ000000000000000002", "acme");
    assert.equal((await anyone("POST", "/first-run/offer", { secret })).status, 410);
    const wanted = { secret, name: "Mine", email: "m@example.org", defaultStatus: "available" };
    const refused = await anyone("POST", "/first-run", wanted);
    assert.deepEqual([refused.status, refused.body.code], [410, "first_run_over"]);
    assert.equal((await empty.reader.orgs()).length, 2);
    await assert.rejects(make("01JGFJJZ000000000000000003", "s"), { code: "invalid" });
  });
}

test("the first organisation is made by a one-time link, once", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  const empty = await openPresence(t, await anyEngine(t), app.clock, {
    mailer: async (mail) => void app.mails.push(mail),
  });
  const anyone = app.ask({}, empty);
  assert.equal((await anyone("GET", "/config")).body.firstRun, true);
  assert.equal(await app.firstRunSecret(), undefined, "not where there is an organisation");
  const secret = await empty.firstRunSecret();
  const later = await empty.firstRunSecret();
  assert.ok(secret && later);

  const wanted = {
    secret,
    name: "Müller & Söhne",
    email: "M@Example.org",
    yourName: "M",
    defaultStatus: "in-office",
    timeZone: "Europe/Berlin",
  };
  for (const [field, value, status] of [
    ["secret", "guessed", 410],
    ["email", "none", 400],
    ["timeZone", "Mars/Olympus", 422],
    ["defaultStatus", "asleep", 422],
  ] as const)
    assert.equal((await anyone("POST", "/first-run", { ...wanted, [field]: value })).status, status, field);
  const offer = await anyone("POST", "/first-run/offer", { secret });
  assert.equal(offer.body.statuses.length, 8);
  const [made, second] = await Promise.all([
    anyone("POST", "/first-run", wanted),
    anyone("POST", "/first-run", wanted),
  ]);
  assert.deepEqual([made.status, made.body], [200, { org: "muller-sohne" }]);
  assert.equal(second.status, 410, "of two at once, one makes it");
  for (const used of [secret, later])
    assert.equal((await anyone("POST", "/first-run", { ...wanted, secret: used })).status, 410);
  assert.equal((await anyone("GET", "/config")).body.firstRun, false);
  assert.equal(await empty.firstRunSecret(), undefined);
  const org = await empty.reader.orgBySlug("muller-sohne");
  assert.deepEqual(
    [org?.settings.timeZone, org?.vocabulary.find(({ isDefault }) => isDefault)?.key],
    ["Europe/Berlin", "in-office"],
  );
  assert.equal((await empty.reader.memberList(org?.id ?? ""))[0]?.email, "m@example.org");
});
