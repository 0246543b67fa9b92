import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { systemClock } from "@frontdesk/kit/clock";
import { completePrinter } from "../src/adapters/provisioning.ts";
import { BEAT_MS } from "../src/http/admin-events.ts";
import { recogniseLanguage } from "../src/languages/recognise.ts";
import { testLabel } from "../src/languages/test-label.ts";
import { openApiCheck } from "./openapi-check.ts";
import { bridge, LABEL, simulator, speak, until } from "./support.ts";

type Json = Record<string, unknown>;

async function desk(t: TestContext, setup: Parameters<typeof bridge>[1] = {}) {
  const b = await bridge(t, setup);
  const at = (path: string) => `${b.http}/api/v1/admin/${path}`;
  let check: ReturnType<typeof openApiCheck> | undefined;
  const call = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
    const response = await fetch(at(path), {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    check ??= openApiCheck(await (await fetch(`${b.http}/openapi.json`)).json());
    const type = response.headers.get("content-type") ?? "";
    check(method, `/api/v1/admin/${path}`, response.status, type, text);
    return {
      status: response.status,
      headers: response.headers,
      body: (text ? JSON.parse(text) : {}) as Json,
    };
  };
  const signIn = (token: string) => call("POST", "session", { origin: b.http }, { token });
  const cookieOf = (answer: { headers: Headers }) => answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  return {
    ...b,
    at,
    call,
    signIn,
    admin: (method: string, path: string, body?: unknown) =>
      call(method, path, { authorization: `Bearer ${b.adminToken}` }, body),
    signedIn: async () => ({ cookie: cookieOf(await signIn(b.adminToken)), origin: b.http }),
  };
}

test("a browser signs in with the token and gets a cookie that scripts cannot read and other sites do not send", async (t) => {
  const { signIn, adminToken, call } = await desk(t);
  const { status, headers } = await signIn(adminToken);
  assert.equal(status, 200);
  assert.match(
    headers.get("set-cookie") ?? "",
    /^frontdesk_print=[\w-]{20,}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
  );
  assert.equal((await call("GET", "session", {})).body.signedIn, false);
  const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
  assert.equal((await call("GET", "session", { cookie })).body.signedIn, true);
  assert.equal((await call("GET", "printers", { cookie })).status, 200);
  assert.equal((await call("GET", "printers", { cookie: "frontdesk_print=guess" })).status, 401);
});

test("a session with a page key is worth nothing by its cookie alone, which other ports of the machine are shown", async (t) => {
  const { call, adminToken, http, at } = await desk(t);
  const opened = await call("POST", "session", { origin: http }, { token: adminToken, pageKey: true });
  const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
  const key = opened.body.pageKey as string;
  assert.equal((await call("GET", "printers", { cookie })).status, 401);
  assert.equal((await call("GET", "session", { cookie })).body.signedIn, false);
  assert.equal((await call("GET", "printers", { cookie, "x-frontdesk-page-key": "guess" })).status, 401);
  assert.equal((await call("GET", "printers", { cookie, "x-frontdesk-page-key": key })).status, 200);
  assert.equal((await call("GET", "printers", { "x-frontdesk-page-key": key })).status, 401);
  const events = await fetch(at(`events?page_key=${key}`), { headers: { cookie } });
  assert.deepEqual([events.status, events.headers.get("x-accel-buffering")], [200, "no"]);
  await events.body?.cancel();
  const deny = { origin: http, cookie };
  assert.equal(
    (await call("POST", `origins/deny?page_key=${key}`, deny, { origin: "https://x.example" })).status,
    401,
  );
});

test("an id in a path is an id: no way leads out of the folder of pictures", async (t) => {
  const { admin } = await desk(t);
  for (const id of ["..%2f..", "a%2fb", "..%5c..", "-a", "a".repeat(65)])
    assert.equal((await admin("GET", `printers/${id}/labels`)).status, 400, id);
});

test("over https the cookie is secure and bound to the host", async (t) => {
  const { home, port, adminToken } = await desk(t);
  const set = await new Promise<string>((resolve, reject) => {
    const asking = request(
      {
        host: "127.0.0.1",
        port,
        path: "/api/v1/admin/session",
        method: "POST",
        headers: { "content-type": "application/json" },
        ca: readFileSync(join(home, "tls", "ca.crt")),
      },
      (response) => {
        resolve(response.headers["set-cookie"]?.[0] ?? "");
        response.resume();
      },
    );
    asking.on("error", reject);
    asking.end(JSON.stringify({ token: adminToken }));
  });
  assert.match(set, /^__Host-frontdesk_print=.*; HttpOnly; SameSite=Strict; .*; Secure$/);
});

test("a session ends after twelve hours and with its sign-out, and outlives a restart", async (t) => {
  let now = systemClock.now();
  const first = await desk(t, { clock: { now: () => now } });
  const { signedIn, call, home } = first;
  const early = await signedIn();
  now += 11 * 3_600_000;
  const late = await signedIn();
  assert.equal((await call("GET", "printers", early)).status, 200);
  now += 2 * 3_600_000;
  assert.equal((await call("GET", "printers", early)).status, 401);
  assert.equal((await call("GET", "printers", late)).status, 200);
  await first.close();
  const second = await desk(t, { home, clock: { now: () => now } });
  const again = { ...late, origin: second.http };
  assert.equal((await second.call("GET", "printers", again)).status, 200);
  await second.call("DELETE", "session", again);
  assert.equal((await second.call("GET", "printers", again)).status, 401);
});

test("who was signed in with a token that was replaced is signed out", async (t) => {
  const first = await desk(t);
  const { cookie } = await first.signedIn();
  await first.close();
  rmSync(join(first.home, "admin-token"));
  const second = await desk(t, { home: first.home });
  assert.notEqual(second.adminToken, first.adminToken);
  assert.equal((await second.call("GET", "session", { cookie })).body.signedIn, false);
  assert.equal((await second.call("GET", "printers", { cookie })).status, 401);
  assert.equal((await second.call("GET", "printers", await second.signedIn())).status, 200);
});

test("with a cookie only the bridge's own pages write, and wrong tokens cannot be tried for ever", async (t) => {
  const { signedIn, call, signIn, http, adminToken } = await desk(t, { firstStart: true });
  const { cookie } = await signedIn();
  const write = async (headers: Record<string, string>) =>
    (await call("POST", "printers/virtual/test", { cookie, ...headers })).status;
  assert.equal(await write({}), 403, "nothing says where it comes from");
  assert.equal(await write({ "sec-fetch-site": "same-site" }), 403, "another port of this machine");
  assert.equal(await write({ origin: "http://127.0.0.1:31072" }), 403);
  assert.equal(await write({ origin: "null" }), 403);
  assert.equal(await write({ origin: http }), 202);
  assert.equal(await write({ "sec-fetch-site": "same-origin" }), 202);
  const codes = [];
  for (let n = 0; n < 6; n++) codes.push((await signIn("wrong")).body.error);
  assert.deepEqual(codes, [...Array(5).fill("AUTH_INVALID"), "RATE_LIMITED"]);
  assert.equal((await signIn(adminToken)).status, 200, "the right one is let in all the same");
});

test("what happens is told live: jobs with their labels counted, printers, and decisions made elsewhere", async (t) => {
  const sim = await simulator(t);
  const b = await desk(t);
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  const ending = new AbortController();
  t.after(() => ending.abort());
  const response = await fetch(b.at("events"), {
    headers: { authorization: `Bearer ${b.adminToken}` },
    signal: ending.signal,
  });
  let heard = "";
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) heard += decoder.decode(chunk, { stream: true });
  })().catch(() => {});
  const events = (name: string) =>
    [...heard.matchAll(new RegExp(`event: ${name}\\ndata: (.*)\\n\\n`, "g"))].map(
      ([, data]) => JSON.parse(data ?? "") as Json,
    );
  await until("the printer is ready", () => events("status").some(({ state }) => state === "ready"));
  const { body } = await b.admin("POST", "printers/dock/test");
  await until("the job is done", () =>
    events("job").some(
      ({ job_id, state, printed }) => job_id === body.jobId && state === "Done" && printed === 1,
    ),
  );
  const before = events("changed").length;
  await (await speak(t, b.url, { origin: "https://new.example" })).call("hello");
  await until("the page that asks is told of", () => events("changed").length > before);
  assert.equal((await fetch(b.at("events"))).status, 401);
});

test("now and then the console hears a sign of life", async (t) => {
  const b = await desk(t);
  t.mock.timers.enable({ apis: ["setInterval"] });
  const response = await fetch(b.at("events"), { headers: { authorization: `Bearer ${b.adminToken}` } });
  let heard = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    heard += decoder.decode(chunk, { stream: true });
    if (heard.includes("\nevent: alive\ndata: {}\n\n")) break;
    if (heard.includes("event: changed")) t.mock.timers.tick(BEAT_MS);
  }
  // The bridge's own intervals are real ones, and are to end with it.
  t.mock.timers.reset();
  assert.match(heard, /event: alive/);
});

test("whoever signs out hears of nothing that happens after it", async (t) => {
  const sim = await simulator(t);
  const b = await desk(t);
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  const { headers } = await b.call("POST", "session", { origin: b.http }, { token: b.adminToken });
  const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
  const response = await fetch(b.at("events"), { headers: { cookie } });
  let heard = "";
  const over = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) heard += decoder.decode(chunk, { stream: true });
  })();
  // How it was at first may have been told before anybody listened.
  sim.printer.set("head-open", true);
  await until("it is told of the printer", () => heard.includes("head-open"));
  sim.printer.set("head-open", false);
  assert.equal((await b.call("DELETE", "session", { origin: b.http, cookie })).status, 200);
  await b.admin("POST", "printers/dock/test");
  await over;
  assert.doesNotMatch(heard, /event: job/);
});

test("a job can be looked into: before it prints what it will be, afterwards what became of each label", async (t) => {
  const sim = await simulator(t);
  const b = await desk(t);
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address, heightMm: 50 });
  sim.printer.set("head-open", true);
  const { body } = await b.admin("POST", "printers/dock/test");
  const job = async () => (await b.admin("GET", `jobs/${body.jobId}`)).body;
  await until("it is held", async () => (await job()).state === "Held");
  const [png] = (await b.admin("GET", `jobs/${body.jobId}/preview`)).body.pictures as string[];
  assert.equal(
    Buffer.from(png ?? "", "base64")
      .subarray(1, 4)
      .toString(),
    "PNG",
  );
  sim.printer.set("head-open", false);
  await until("it is done", async () => (await job()).state === "Done");
  const done = await job();
  assert.deepEqual([done.origin, done.asked, done.printed], ["console", 1, 1]);
  assert.deepEqual(done.labels, [{ index: 0, printed: true, encoded: false, voided: false, epc: "" }]);
  const { pictures } = (await b.admin("GET", `jobs/${body.jobId}/preview`)).body as { pictures: unknown[] };
  assert.equal(pictures.length, 1, "while its data is kept");
  assert.equal((await b.admin("GET", "jobs/none")).status, 404);
});

test("a preview draws what a template prints, and says what is wrong with one that cannot be", async (t) => {
  const b = await desk(t);
  const preview = async (part: object) => {
    const size = { language: "zpl", dpmm: 8, widthMm: 60, heightMm: 30, values: [] };
    return (await b.admin("POST", "templates/preview", { ...size, ...part })).body;
  };
  const good = await preview({ body: "^XA^FO9,9^A0N,40^FD{{1}} {{2}}^FS^XZ", values: ["a^b"] });
  assert.deepEqual([good.placeholders, good.problem], [[1, 2], null]);
  assert.match(String(good.text), /\^FDa_5Eb \{\{2\}\}\^FS/);
  assert.equal((good.pictures as string[]).length, 1);
  const bad = await preview({ body: "^XA^FO{{1}},9^FDx^FS^XZ" });
  assert.match(String(bad.problem), /A placeholder stands in \^FO/);
  const plain = await preview({
    language: "epl",
    body: 'N\nA1,1,0,4,1,1,N,"{{1}}"\nP1\n',
    values: ['say "hi"'],
  });
  assert.match(String(plain.text), /"say \\"hi\\""/);
  assert.deepEqual(plain.pictures, []);
});

test("a test label is one label in the printer's own language, whatever the printer is called", () => {
  for (const language of ["zpl", "epl", "cpcl", "tspl", "escpos", "sbpl"] as const) {
    const printer = completePrinter({
      id: "p",
      name: 'Dock "2" ^XZ ~ \\[ é\n',
      transport: "tcp",
      address: "10.0.0.2:9100",
      languages: [language],
    });
    const label = testLabel(printer, "2026-01-02 03:04:05 UTC");
    assert.equal(recogniseLanguage(Buffer.from(label)), language);
    assert.match(label, /2026-01-02/);
    if (language === "zpl") assert.equal(label.match(/\^XZ/g)?.length, 1);
  }
});

test("an address that cannot be one is refused and changes nothing, and the bridge goes on", async (t) => {
  const sim = await simulator(t);
  const b = await desk(t);
  const put = (transport: "tcp" | "serial" | "ipp", address: string) =>
    b.admin("PUT", "printers/dock", completePrinter({ id: "dock", transport, address }));
  for (const [transport, address] of [
    ["tcp", "no such host"],
    ["tcp", "host:99999"],
    ["serial", "/dev/ttyS0?baud=fast"],
    ["ipp", "http://host/"],
  ] as const) {
    const { status, body } = await put(transport, address);
    assert.deepEqual([status, body.error], [400, "PROTOCOL_ERROR"], address);
  }
  assert.deepEqual((await b.admin("GET", "printers")).body.printers, []);
  assert.equal((await put("tcp", sim.address)).status, 200);
  const page = b.allow();
  const answer = await fetch(`${b.http}/api/v2/printers/dock/print`, {
    method: "POST",
    headers: { authorization: `Bearer ${page}`, "content-type": "application/json" },
    body: JSON.stringify({ data: LABEL }),
  });
  assert.equal(answer.status, 202);
});

test("a page of an allowed origin that asks is let in with what the origin has, or sent away, and nothing else changes", async (t) => {
  const { admin, url, registry, access } = await desk(t);
  const origin = "https://shop.example";
  access.approve(origin, {
    aliases: { front: "dock" },
    rights: { raw: false, templates: true, rfid: false },
  });
  const token = access.issueToken(origin);
  const asks = async () => {
    const page = await speak(t, url, { origin });
    await page.ask("hello", { pairing: "" });
    const { pairings } = (await admin("GET", "pairings")).body as { pairings: Array<{ code: string }> };
    return pairings.at(-1)?.code ?? "";
  };
  const code = await asks();
  const away = (which: string) =>
    admin("DELETE", `pairings?origin=${encodeURIComponent(origin)}&code=${which}`);
  assert.equal((await away(code)).status, 204);
  assert.deepEqual((await admin("GET", "pairings")).body, { pairings: [], crowded: [] });
  assert.equal((await away(code)).status, 400);
  assert.equal(
    (await admin("POST", "origins", { origin, code: await asks(), issueToken: false })).status,
    201,
  );
  const { aliases, rights } = registry.origins.get(origin) ?? {};
  assert.deepEqual([aliases, rights], [{ front: "dock" }, { raw: false, templates: true, rfid: false }]);
  assert.ok(access.authenticate(token, origin));
});
