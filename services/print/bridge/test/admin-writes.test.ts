import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { heldRequest } from "@frontdesk/testkit/held-request";
import { systemSecrets } from "../src/adapters/secrets.ts";
import { openApiCheck } from "./openapi-check.ts";
import { admitted, bridge, LABEL, simulator, until } from "./support.ts";

type Json = Record<string, unknown>;

async function desk(t: TestContext, env: Record<string, string> = {}) {
  const b = await bridge(t, { env });
  const check = openApiCheck(await (await fetch(`${b.http}/openapi.json`)).json());
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${b.http}/api/v1/admin/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${b.adminToken}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    check(method, `/api/v1/admin/${path}`, response.status, response.headers.get("content-type") ?? "", text);
    return { status: response.status, body: (text ? JSON.parse(text) : {}) as Json };
  };
  return { ...b, call };
}

const PRINTER = {
  id: "dock",
  name: "Dock",
  transport: "tcp",
  address: "127.0.0.1:9100",
  languages: ["zpl"],
  dpmm: 8,
  rfid: false,
  feedback: "printer",
  widthMm: 100,
  heightMm: 50,
};
const TEMPLATE = { id: "badge", name: "Badge", language: "zpl", dpmm: 8, body: "^XA^FD{{1}}^FS^XZ" };
const ORIGIN = { origin: "https://shop.example", issueToken: false };

for (const [what, method, path, list, body] of [
  ["printer", "PUT", "printers/dock", "printers", PRINTER],
  ["template", "PUT", "templates/badge", "templates", TEMPLATE],
  ["origin", "POST", "origins", "origins", ORIGIN],
] as const) {
  test(`an edit of the ${what} that was removed and made anew meanwhile is not taken for an edit of the new one`, async (t) => {
    const { call } = await desk(t);
    const write = (headers: Record<string, string> = {}) => call(method, path, body, headers);
    for (let n = 0; n < 2; n++) assert.ok((await write()).status < 300);
    const query = what === "origin" ? `?origin=${encodeURIComponent(ORIGIN.origin)}` : "";
    assert.equal((await call("DELETE", `${path}${query}`)).status, 204);
    for (let n = 0; n < 2; n++) assert.ok((await write()).status < 300);
    for (const seen of [1, 2]) assert.equal((await write({ "if-match": `"${seen}"` })).status, 412);
    assert.ok((await write({ "if-match": '"4"' })).status < 300);
  });

  test(`a ${what} that somebody else has changed is not overwritten, and a name that is taken stays taken`, async (t) => {
    const { call } = await desk(t);
    const write = (headers: Record<string, string> = {}) => call(method, path, body, headers);
    const row = async () => ((await call("GET", list)).body[list] as Json[])[0] as Json;
    assert.ok((await write({ "if-none-match": "*" })).status < 300);
    assert.equal((await row()).version, 1);
    const taken = await write({ "if-none-match": "*" });
    assert.deepEqual([taken.status, taken.body.error], [412, "PRECONDITION_FAILED"]);
    assert.equal((taken.body.current as Json).version, 1);
    assert.ok((await write({ "if-match": '"1"' })).status < 300);
    assert.equal((await write({ "if-match": '"1"' })).status, 412);
    assert.equal((await row()).version, 2);
    assert.ok((await write()).status < 300, "without a condition the last one wins");
    assert.equal((await row()).version, 3);
  });

  test(`a ${what} that somebody else has changed is not removed unseen`, async (t) => {
    const { call } = await desk(t);
    const query = what === "origin" ? `?origin=${encodeURIComponent(ORIGIN.origin)}` : "";
    const remove = (seen?: number) =>
      call("DELETE", `${path}${query}`, undefined, seen === undefined ? {} : { "if-match": `"${seen}"` });
    for (const version of [1, 2]) assert.equal((await call(method, path, body)).body.version, version);
    const refused = await remove(1);
    assert.deepEqual([refused.status, refused.body.error], [412, "PRECONDITION_FAILED"]);
    assert.equal((refused.body.current as Json).version, 2);
    assert.equal((await remove(2)).status, 204);
    // What is gone already is told as such.
    const gone = (await remove(2)).status;
    assert.equal(gone, (await remove()).status);
    assert.ok([403, 404].includes(gone));
  });
}

test("what a template was before is kept, after its removal too", async (t) => {
  const { call } = await desk(t);
  assert.equal((await call("GET", "templates/badge/versions")).status, 404);
  for (const name of ["Badge", "Visitor"]) await call("PUT", "templates/badge", { ...TEMPLATE, name });
  const versions = async () =>
    ((await call("GET", "templates/badge/versions")).body.versions as Json[]).map(
      ({ version, name, body, saved_at }) => [version, name, body === TEMPLATE.body, typeof saved_at],
    );
  const kept = [
    [2, "Visitor", true, "string"],
    [1, "Badge", true, "string"],
  ];
  assert.deepEqual(await versions(), kept);
  await call("DELETE", "templates/badge");
  assert.deepEqual(await versions(), kept);
  await call("PUT", "templates/badge", TEMPLATE);
  assert.deepEqual((await versions())[0], [3, "Badge", true, "string"]);
  for (let n = 0; n < 60; n++) await call("PUT", "templates/badge", TEMPLATE);
  assert.equal((await versions()).length, 50, "and not without end");
});

test("a preview warns of what is likely a slip, with its place", async (t) => {
  const { call } = await desk(t);
  const preview = async (body: string, language = "zpl") =>
    (
      await call("POST", "templates/preview", {
        language,
        dpmm: 8,
        widthMm: 50,
        heightMm: 25,
        body,
        values: [],
      })
    ).body.warnings as Array<{ line: number; column: number; message: string }>;
  const found = await preview(
    "^XA\n^FOé0,0^FDü^QQ1^FS\n^FO400,10^FD{{name}} {{1}}^FS^FT10,10^FDx^FS^A0N,9^XZ",
  );
  assert.deepEqual(
    found.map(({ line, column, message }) => [line, column, message.split(" ")[0]]),
    [
      [2, 12, "^QQ"],
      [3, 1, "This"],
      [3, 13, "{{name}}"],
    ],
  );
  assert.deepEqual(await preview("^XA^FO9,9^AZN,9^FD{{1}}^FS^XZ~HQES"), []);
  assert.equal((await preview('N\nA9,9,0,1,1,1,N,"{{name}}"\nP1\n', "epl"))[0]?.line, 2);
});

test("when a token was last used is told, without bringing back one that was revoked", async (t) => {
  const { call, allow, access, registry, http } = await desk(t);
  const token = allow("https://shop.example");
  const tokens = async () =>
    ((await call("GET", "origins")).body.origins as Array<{ tokens: Json[] }>).flatMap((row) =>
      row.tokens.map(({ last_used_at }) => last_used_at),
    );
  assert.deepEqual(await tokens(), [null]);
  const use = async () =>
    (await fetch(`${http}/api/v1/printers`, { headers: { authorization: `Bearer ${token}` } })).status;
  assert.equal(await use(), 200);
  const [used] = await tokens();
  assert.ok(Math.abs(Date.parse(String(used)) - Date.now()) < 60_000);
  assert.equal(await use(), 200);
  assert.deepEqual(await tokens(), [used], "it is not written again for each use");
  access.revokeToken(systemSecrets.hash(token));
  assert.equal(await use(), 401);
  assert.deepEqual([registry.tokens.all().length, registry.tokenUses.all().length], [0, 0]);
});

test("a job that has ended is printed again, while what it printed is kept", async (t) => {
  const sim = await simulator(t);
  const b = await desk(t, { PRINT_REPRINT_BYTES: "1000" });
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  const page = await admitted(t, b.url, b.allow());
  const print = (data: string) => page.jobId("print.raw", { printer: "dock", data, copies: 2 });
  sim.printer.set("paused", true);
  const id = await print(LABEL);
  const again = (job: string) => b.call("POST", `jobs/${job}/reprint`);
  assert.equal((await again(id)).status, 400, "it has not ended");
  sim.printer.set("paused", false);
  await page.ended(id);
  const detail = async (job: string) => (await b.call("GET", `jobs/${job}`)).body;
  assert.equal((await detail(id)).reprintable, true);
  const { status, body } = await again(id);
  assert.equal(status, 202);
  const ended = async (job: unknown) => (await detail(String(job))).state === "Done";
  await until("it is out again", () => ended(body.jobId));
  assert.equal(sim.printer.labels.length, 4);
  assert.equal((await detail(String(body.jobId))).origin, "console");
  assert.equal((await again("no-such-job")).status, 404);
  for (let n = 0; n < 8; n++) await page.ended(await print(`^XA^FD${"x".repeat(200)}^FS^XZ`));
  assert.equal((await detail(id)).reprintable, false, "only so much is kept");
  assert.equal((await again(id)).status, 404);
});

test("jobs are found by state, printer and words, page by page, newest first", async (t) => {
  const { call, addPrinter } = await desk(t);
  for (const id of ["one", "two"])
    addPrinter({ id, name: `Printer ${id}`, transport: "virtual", heightMm: 20 });
  const ids: string[] = [];
  for (let n = 0; n < 5; n++)
    ids.push(String((await call("POST", `printers/${n % 2 ? "two" : "one"}/test`)).body.jobId));
  type Found = {
    items: Array<{ job_id: string; printer_name: string }>;
    next_cursor: string | null;
    total: number;
  };
  const find = async (query: string) => (await call("GET", `jobs?${query}`)).body as unknown as Found;
  const first = await find("limit=2");
  assert.deepEqual([first.items.map(({ job_id }) => job_id), first.total], [ids.slice(-2).reverse(), 5]);
  const second = await find(`limit=2&cursor=${first.next_cursor}`);
  const third = await find(`limit=2&cursor=${second.next_cursor}`);
  assert.deepEqual(
    [...second.items, ...third.items].map(({ job_id }) => job_id),
    ids.slice(0, 3).reverse(),
  );
  assert.equal(third.next_cursor, null);
  const ofTwo = await find("printer=two");
  assert.deepEqual([ofTwo.total, ofTwo.items[0]?.printer_name], [2, "Printer two"]);
  assert.equal((await find(`q=${ids[3]}`)).total, 1);
  assert.equal((await find("q=%25")).total, 0, "a percent sign is only that");
  await until("all are done", async () => (await find("state=Done")).total === 5);
  assert.equal((await call("GET", "jobs?state=Nothing")).status, 400);
  assert.equal(((await call("GET", "jobs")).body.jobs as unknown[]).length, 5, "as it was, without a query");
});

test("a field that is not right is named", async (t) => {
  const { call } = await desk(t);
  const wrong = async (change: object) => {
    const { status, body } = await call("PUT", "printers/dock", { ...PRINTER, ...change });
    return [status, ...((body.errors ?? []) as Array<{ pointer: string }>).map(({ pointer }) => pointer)];
  };
  assert.deepEqual(await wrong({ address: "10.0.0.300" }), [400, "/address"]);
  assert.deepEqual(await wrong({ address: "[::zz]:9100" }), [400, "/address"]);
  assert.deepEqual(await wrong({ widthMm: 0 }), [400, "/widthMm"]);
  assert.deepEqual(await wrong({ dpmm: 99, heightMm: 1 }), [400, "/dpmm", "/heightMm"]);
});

test("a write whose administrator signed out while its body was on the way is refused", async (t) => {
  const { http, adminToken, call } = await desk(t);
  const opened = await fetch(`${http}/api/v1/admin/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: http },
    body: JSON.stringify({ token: adminToken }),
  });
  const [cookie = ""] = opened.headers.getSetCookie().map((each) => each.split(";")[0]);
  const headers = { cookie, origin: http };
  const held = await heldRequest(`${http}/api/v1/admin/origins`, { method: "POST", headers, body: ORIGIN });
  assert.equal((await fetch(`${http}/api/v1/admin/session`, { method: "DELETE", headers })).status, 200);
  assert.equal(await held.finish(), 401);
  assert.deepEqual((await call("GET", "origins")).body.origins, []);
});
