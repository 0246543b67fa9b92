import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { fakeClock } from "@frontdesk/testkit/clock";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { MAX_AUDIT_ENTRIES } from "../src/adapters/audit-rows.ts";
import { completePrinter, provision } from "../src/adapters/provisioning.ts";
import { systemSecrets } from "../src/adapters/secrets.ts";
import { createAccess } from "../src/domain/access.ts";
import { createAdminSessions } from "../src/domain/admin-sessions.ts";
import type { AuditEntry } from "../src/domain/audit.ts";
import { removePrinter, savePrinter } from "../src/domain/printer-changes.ts";
import type { Registry } from "../src/domain/registry.ts";
import { removeTemplate, saveTemplate } from "../src/domain/templates.ts";
import type { AuditRow } from "../src/http/admin-schemas.ts";
import { openApiCheck } from "./openapi-check.ts";
import { administer, bridge, ORIGIN, simulator, speak, until } from "./support.ts";

const PRINTER = completePrinter({ id: "dock", name: "Dock", transport: "tcp", address: "127.0.0.1:9100" });
const TEMPLATE = { id: "badge", name: "Badge", language: "zpl", dpmm: 8, body: "^XA^FDone^FS^XZ" } as const;
const BY = { actor: "cli:test", at: 1_000 } as const;

type Json = Record<string, unknown>;

async function desk(t: TestContext) {
  const b = await bridge(t);
  const check = openApiCheck(await (await fetch(`${b.http}/openapi.json`)).json());
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${b.http}/api/v1/admin/${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    check(method, `/api/v1/admin/${path}`, response.status, response.headers.get("content-type") ?? "", text);
    return {
      status: response.status,
      headers: response.headers,
      body: (text ? JSON.parse(text) : {}) as Json,
    };
  };
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    ask(method, path, body, { authorization: `Bearer ${b.adminToken}`, ...headers });
  const audit = async (query = "") => (await call("GET", `audit${query}`)).body as unknown as AuditReply;
  const rows = async (query = "") =>
    (await audit(query)).items.map(({ actor, action, subject }) => [actor, action, subject]).toReversed();
  return { ...b, ask, call, audit, rows };
}
interface AuditReply {
  readonly items: AuditRow[];
  readonly next_cursor: string | null;
  readonly total: number;
}

const briefly = ({ actor, action, subject }: Pick<AuditEntry, "actor" | "action" | "subject">) => [
  actor,
  action,
  subject,
];
const entriesOf = (registry: Registry) =>
  registry.audit.search({ limit: 100 }).entries.map(briefly).toReversed();

test("every change of the administrator is in the audit log, with who made it, and only those", async (t) => {
  const { address } = await simulator(t);
  const { call, rows, audit, adminToken, http } = await desk(t);
  const before = Date.now();
  await call("PUT", "printers/dock", { ...PRINTER, address });
  await call("PUT", "printers/dock", { ...PRINTER, address, name: "Loading dock" });
  const tested = (await call("POST", "printers/dock/test")).body.jobId as string;
  await call("PUT", "templates/badge", TEMPLATE);
  await call("PUT", "templates/badge", { ...TEMPLATE, body: "^XA^FDtwo^FS^XZ" });
  await call("PUT", "templates/badge", TEMPLATE);
  await call("POST", "templates/badge/print", { printer: "dock", values: [] });
  await call("DELETE", "templates/badge");
  await call("POST", "origins", { origin: ORIGIN });
  await call("POST", "origins", { origin: ORIGIN, open: true, issueToken: false });
  await call("POST", "origins/tokens", { origin: ORIGIN });
  const { origins } = (await call("GET", "origins")).body as { origins: Array<{ tokens: Json[] }> };
  await call("DELETE", `origins/tokens/${origins[0]?.tokens[0]?.id}`);
  await call("DELETE", `origins?origin=${encodeURIComponent(ORIGIN)}`);
  await call("POST", "origins/deny", { origin: "https://bad.example" });
  await until("the test label is done", async () => (await call("GET", `jobs/${tested}`)).body.reprintable);
  await call("POST", `jobs/${tested}/reprint`);
  await call("DELETE", "printers/dock");
  assert.deepEqual(await rows(), [
    ["token", "printer.added", "dock"],
    ["token", "printer.changed", "dock"],
    ["token", "printer.tested", "dock"],
    ["token", "template.saved", "badge"],
    ["token", "template.saved", "badge"],
    ["token", "template.restored", "badge"],
    ["token", "template.printed", "badge"],
    ["token", "template.removed", "badge"],
    ["token", "origin.approved", ORIGIN],
    ["token", "token.issued", ORIGIN],
    ["token", "origin.changed", ORIGIN],
    ["token", "token.issued", ORIGIN],
    ["token", "token.revoked", ORIGIN],
    ["token", "origin.revoked", ORIGIN],
    ["token", "origin.denied", "https://bad.example"],
    ["token", "job.reprinted", tested],
    ["token", "printer.removed", "dock"],
  ]);
  const { items } = await audit();
  assert.deepEqual(
    items.find(({ action }) => action === "printer.changed")?.detail,
    { name: { from: "Dock", to: "Loading dock" } },
    "a change tells what it changed",
  );
  assert.deepEqual(items.find(({ action }) => action === "template.restored")?.detail, {
    version: 3,
    same_as: 1,
  });
  for (const { at } of items) assert.ok(Date.parse(at) >= before && Date.parse(at) <= Date.now());
  const everything = JSON.stringify(items);
  assert.ok(!everything.includes(adminToken), "no secret is in it");
  assert.equal((await fetch(`${http}/api/v1/admin/audit`)).status, 401, "nobody else reads it");
});

test("a signed-in browser is told from another, and so are its sign-in and sign-out", async (t) => {
  const { ask, rows, audit, adminToken, http } = await desk(t);
  const signIn = async () => {
    const { headers } = await ask("POST", "session", { token: adminToken }, { "user-agent": "Browser/1" });
    return { cookie: (headers.get("set-cookie") ?? "").split(";")[0] ?? "", origin: http };
  };
  const [one, other] = [await signIn(), await signIn()];
  await ask("PUT", "printers/dock", PRINTER, one);
  await ask("DELETE", "printers/dock", undefined, other);
  await ask("DELETE", "session", undefined, one);
  await ask("DELETE", "session", undefined, one);
  assert.equal((await ask("POST", "session", { token: "wrong" })).status, 401);
  const told = await rows();
  const [first, second] = told.map(([actor]) => actor as string) as [string, string];
  assert.match(first, /^session:[0-9a-f]{8}$/);
  assert.notEqual(first, second);
  assert.deepEqual(told, [
    [first, "session.opened", null],
    [second, "session.opened", null],
    [first, "printer.added", "dock"],
    [second, "printer.removed", "dock"],
    [first, "session.closed", null],
  ]);
  assert.deepEqual((await audit()).items.at(-1)?.detail, { address: "127.0.0.1", browser: "Browser/1" });
});

test("a page that is let in, one that is sent away, and the token a page fetches are in the audit log", async (t) => {
  const { call, rows, url, allow } = await desk(t);
  allow();
  const page = async () => {
    const speaker = await speak(t, url);
    const { pairing } = (await speaker.ask("hello", { pairing: "" })) as unknown as {
      pairing: { code: string; claim: string };
    };
    return { ...pairing, redeem: () => speaker.ask("hello", { pairing: pairing.claim }) };
  };
  const [one, two] = [await page(), await page()];
  await call("POST", "origins", { origin: ORIGIN, code: one.code, issueToken: false });
  await one.redeem();
  await call("DELETE", `pairings?origin=${encodeURIComponent(ORIGIN)}&code=${two.code}`);
  assert.deepEqual(await rows(), [
    ["cli:test", "origin.approved", ORIGIN],
    ["cli:test", "token.issued", ORIGIN],
    ["token", "pairing.admitted", ORIGIN],
    ["page", "token.issued", ORIGIN],
    ["token", "pairing.dismissed", ORIGIN],
  ]);
});

test("a change that is refused leaves no entry", async (t) => {
  const { call, audit } = await desk(t);
  for (const [status, method, path, body, headers] of [
    [400, "PUT", "printers/dock", { ...PRINTER, address: "10.0.0.300" }],
    [400, "PUT", "printers/dock", { ...PRINTER, dpmm: 0 }],
    [412, "PUT", "printers/dock", PRINTER, { "if-match": '"7"' }],
    [404, "DELETE", "printers/dock"],
    [404, "POST", "printers/dock/test"],
    [400, "PUT", "templates/badge", { ...TEMPLATE, body: "^XA^FDone^FS" }],
    [404, "DELETE", "templates/badge"],
    [404, "POST", "templates/badge/print", { printer: "dock", values: [] }],
    [400, "POST", "origins", { origin: "no origin" }],
    [400, "POST", "origins", { origin: ORIGIN, code: "ABC234" }],
    [412, "POST", "origins", { origin: ORIGIN }, { "if-match": '"7"' }],
    [403, "DELETE", `origins?origin=${encodeURIComponent(ORIGIN)}`],
    [403, "POST", "origins/tokens", { origin: ORIGIN }],
    [401, "DELETE", `origins/tokens/${"0".repeat(64)}`],
    [400, "DELETE", `pairings?origin=${encodeURIComponent(ORIGIN)}&code=ABC234`],
    [404, "POST", "jobs/none/reprint"],
    [402, "PUT", "license", { file: "{}" }],
  ] as const) {
    const answer = await call(method, path, body, headers);
    assert.equal(answer.status, status, `${method} ${path}: ${JSON.stringify(answer.body)}`);
  }
  assert.deepEqual(await audit(), { items: [], next_cursor: null, total: 0 });
});

test("a change whose entry cannot be written is not made", (t) => {
  const { registry, close } = administer(temporaryHome(t));
  t.after(close);
  savePrinter(registry, { ...PRINTER, id: "kept" }, BY);
  saveTemplate(registry, { ...TEMPLATE, id: "kept" }, BY);
  const full: Registry = {
    ...registry,
    audit: {
      ...registry.audit,
      add: () => {
        throw new Error("database or disk is full");
      },
    },
  };
  const clock = fakeClock();
  const access = createAccess({ registry: full, clock, secrets: systemSecrets, authFailureLimit: 5 });
  const by = access.by("token");
  const token = createAccess({ registry, clock, secrets: systemSecrets, authFailureLimit: 5 }).by("token");
  token.approve("https://kept.example");
  const hash = systemSecrets.hash(token.issueToken("https://kept.example"));
  const sessions = (on: Registry) =>
    createAdminSessions({
      registry: on,
      clock,
      secrets: systemSecrets,
      isAdminToken: () => true,
      adminTokenHash: systemSecrets.hash(""),
      failureLimit: 5,
    });
  const { secret } = sessions(registry).open("", false);
  const entries = entriesOf(registry);
  for (const change of [
    () => savePrinter(full, PRINTER, BY),
    () => removePrinter(full, "kept", BY),
    () => saveTemplate(full, TEMPLATE, BY),
    () => removeTemplate(full, "kept", BY),
    () => by.approve(ORIGIN),
    () => by.deny("https://kept.example"),
    () => by.revoke("https://kept.example"),
    () => by.issueToken("https://kept.example"),
    () => by.revokeToken(hash),
    () => sessions(full).open("", false),
    () => sessions(full).end(secret),
  ])
    assert.throws(change, /disk is full/);
  const ids = (table: "printers" | "templates") => registry[table].all().map(({ id }) => id);
  assert.deepEqual([ids("printers"), ids("templates")], [["kept"], ["kept"]]);
  assert.equal(registry.templateVersions.of("badge").length, 0);
  assert.deepEqual(
    registry.origins.all().map(({ origin, state }) => [origin, state]),
    [["https://kept.example", "approved"]],
  );
  assert.deepEqual(
    registry.tokens.all().map((each) => each.hash),
    [hash],
  );
  assert.equal(registry.sessions.all().length, 1);
  assert.deepEqual(entriesOf(registry), entries);
});

test("the audit log is read in pages, by action or kind, by words and by time", async (t) => {
  const { registry, audit, rows, call } = await desk(t);
  for (let n = 0; n < 5; n++)
    savePrinter(
      registry,
      { ...PRINTER, id: `p${n}` },
      { actor: "cli:Ada", at: n * 1_000 + Date.parse("2026-01-01") },
    );
  removePrinter(registry, "p0", { actor: "cli:Bob", at: Date.parse("2026-01-02") });
  saveTemplate(registry, TEMPLATE, { actor: "cli:Bob", at: Date.parse("2026-01-03") });
  const seen: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: AuditReply = await audit(`?limit=3${cursor && `&cursor=${cursor}`}`);
    assert.equal(page.total, 7);
    assert.ok(page.items.length <= 3);
    seen.push(...page.items.map(({ subject }) => subject ?? ""));
    cursor = page.next_cursor;
  }
  assert.deepEqual(seen, ["badge", "p0", "p4", "p3", "p2", "p1", "p0"]);
  assert.equal((await audit("?action=printer")).total, 6);
  assert.deepEqual(await rows("?action=printer.removed"), [["cli:Bob", "printer.removed", "p0"]]);
  assert.equal((await audit("?q=ada")).total, 5);
  assert.equal((await audit("?q=P0")).total, 2);
  assert.equal((await audit("?q=%25")).total, 0, "a percent sign is a percent sign");
  assert.deepEqual(await rows("?since=2026-01-02T00:00:00Z&until=2026-01-03T00:00:00Z"), [
    ["cli:Bob", "printer.removed", "p0"],
  ]);
  for (const query of ["?action=print", "?limit=0", "?limit=201", "?cursor=x", "?since=yesterday"])
    assert.equal((await call("GET", `audit${query}`)).status, 400, query);
});

test("a name beyond ASCII is found in the audit log, in capitals or not", (t) => {
  const { registry, close } = administer(temporaryHome(t));
  t.after(close);
  registry.audit.add({ ...BY, actor: "cli:Özil", action: "printer.removed", subject: "ÉTIQUETTES" });
  for (const text of ["Özil", "özil", "ÖZIL", "étiquettes", "Étiq"])
    assert.equal(registry.audit.search({ text, limit: 5 }).total, 1, text);
});

test("the audit log keeps the newest entries, whatever the clock says", (t) => {
  const { registry, close } = administer(temporaryHome(t));
  t.after(close);
  const add = (at: number) =>
    registry.audit.add({ at, actor: "token", action: "printer.tested", subject: String(at) });
  const { total } = registry.together(() => {
    for (let at = 0; at < MAX_AUDIT_ENTRIES + 5; at++) add(at);
    return registry.audit.search({ limit: 1 });
  });
  assert.equal(total, MAX_AUDIT_ENTRIES);
  assert.equal(registry.audit.search({ limit: 1, text: "4", until: 5 }).total, 0, "the oldest have gone");
  add(Date.parse("2199-01-01"));
  add(0);
  assert.equal(
    registry.audit.search({ limit: 1 }).total,
    MAX_AUDIT_ENTRIES,
    "a clock set ahead empties nothing",
  );
  assert.equal(registry.audit.search({ limit: 1 }).entries[0]?.subject, "0");
});

test("an entry's detail is bounded, whatever an origin's printers are called", (t) => {
  const { access, registry, close } = administer(temporaryHome(t));
  t.after(close);
  access.approve(ORIGIN, {
    aliases: Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`name ${n}`, "dock"])),
    open: true,
  });
  assert.deepEqual(registry.audit.search({ limit: 1 }).entries[0]?.detail, {
    printers: "cut: too long to be kept",
    rights: { raw: true, templates: true, rfid: true },
    open: true,
  });
});

test("a change of an origin tells what was and what is", (t) => {
  const { access, registry, close } = administer(temporaryHome(t));
  t.after(close);
  access.approve(ORIGIN, { rights: { raw: false, templates: true, rfid: false } });
  access.approve(ORIGIN, { rights: { raw: true, templates: true, rfid: false } });
  const detail = () => registry.audit.search({ limit: 1 }).entries[0]?.detail;
  assert.deepEqual(detail(), {
    rights: {
      from: { raw: false, templates: true, rfid: false },
      to: { raw: true, templates: true, rfid: false },
    },
  });
  access.approve(ORIGIN);
  assert.deepEqual(detail(), {});
});

test("a fleet's file that names one thing twice cannot be used", (t) => {
  const home = temporaryHome(t);
  const { registry, close } = administer(home);
  t.after(close);
  const file = join(home, "fleet.json");
  const hash = "2".repeat(64);
  const virtual = { id: "dock", transport: "virtual" };
  const origins = ["https://c.example", "https://C.example/"];
  for (const [content, named] of [
    [{ printers: [virtual, virtual] }, /the printer "dock" is in it twice/],
    [{ templates: [TEMPLATE, TEMPLATE] }, /the template "badge" is in it twice/],
    [{ origins: origins.map((origin) => ({ origin })) }, /the origin "https:\/\/c\.example" is in it twice/],
    [
      { origins: [1, 2].map((n) => ({ origin: `https://o${n}.example`, tokenSha256: [hash] })) },
      /the token 22222222… is in it twice/,
    ],
  ] as const) {
    writeFileSync(file, JSON.stringify(content));
    assert.throws(() => provision(registry, file, 1_000), named);
  }
  assert.deepEqual(entriesOf(registry), []);
});

test("what PRINT_CONFIG sets up is in the audit log once, and not again at every start", (t) => {
  const home = temporaryHome(t);
  const { registry, close } = administer(home);
  t.after(close);
  const file = join(home, "fleet.json");
  const fleet = {
    printers: [{ id: "dock", transport: "tcp", address: "127.0.0.1:9100" }],
    templates: [TEMPLATE],
    origins: [{ origin: ORIGIN, tokenSha256: ["1".repeat(64)] }],
  };
  const start = (content: object) => {
    writeFileSync(file, JSON.stringify(content));
    provision(registry, file, 1_000);
  };
  start(fleet);
  const first = [
    ["config", "printer.added", "dock"],
    ["config", "template.saved", "badge"],
    ["config", "origin.approved", ORIGIN],
    ["config", "token.issued", ORIGIN],
  ];
  assert.deepEqual(entriesOf(registry), first);
  const version = registry.printers.version("dock");
  start(fleet);
  assert.deepEqual(entriesOf(registry), first);
  assert.equal(registry.printers.version("dock"), version, "an edit in a browser goes on over a restart");
  assert.throws(() =>
    start({
      printers: [
        { id: "two", transport: "virtual" },
        { id: "three", transport: "tcp", address: "?" },
      ],
    }),
  );
  assert.deepEqual(
    entriesOf(registry),
    first,
    "a file that cannot be used changes nothing and is told of nowhere",
  );
  start({ ...fleet, origins: [{ origin: ORIGIN, open: true, tokenSha256: ["1".repeat(64)] }] });
  assert.deepEqual(entriesOf(registry).at(-1), ["config", "origin.changed", ORIGIN]);
});

test("the first printer of a new home is the bridge's own entry", async (t) => {
  const { registry } = await bridge(t, { firstStart: true });
  assert.deepEqual(entriesOf(registry), [["bridge", "printer.added", "virtual"]]);
});

test("a job whose entry cannot be written prints all the same", async (t) => {
  const { address } = await simulator(t);
  const { home, addPrinter, call, audit } = await desk(t);
  addPrinter({ id: "dock", transport: "tcp", address });
  await call("GET", "printers");
  const other = new DatabaseSync(join(home, "config.db"));
  other.exec("begin immediate");
  const tested = await call("POST", "printers/dock/test");
  other.exec("rollback");
  other.close();
  assert.equal(tested.status, 202);
  await until("the test label is done", async () => {
    const { body } = await call("GET", `jobs/${tested.body.jobId}`);
    return body.state === "Done";
  });
  assert.equal((await audit()).total, 0);
});

test("a change of which SQLite itself has rolled back the transaction leaves all as it was, and tells why", (t) => {
  const home = temporaryHome(t);
  const { registry, close } = administer(home);
  t.after(close);
  const other = new DatabaseSync(join(home, "config.db"));
  t.after(() => other.close());
  // As a full disk does.
  other.exec(
    "create trigger full before insert on records when new.id = 'lost' begin select raise(rollback, 'disk is full'); end",
  );
  const change = () =>
    registry.together(() => {
      registry.settings.put("first", "yes");
      registry.settings.put("lost", "yes");
    });
  assert.throws(change, /disk is full/);
  assert.equal(registry.settings.get("first"), undefined);
});
