// biome-ignore-all lint/suspicious/noControlCharactersInRegex: printers speak in control characters
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { issueLicense, newSigningKeys } from "../src/adapters/license-file.ts";
import { systemSecrets } from "../src/adapters/secrets.ts";
import { openRegistry } from "../src/adapters/sqlite-registry.ts";
import { openApiCheck } from "./openapi-check.ts";
import { admitted, bridge, LABEL, ORIGIN, simulator, speak, until } from "./support.ts";

type Json = Record<string, unknown>;

async function desk(t: Parameters<typeof bridge>[0], env: Record<string, string> = {}, home?: string) {
  const sim = await simulator(t);
  const b = await bridge(t, { env, ...(home ? { home } : {}) });
  b.addPrinter({ id: "dock", name: "Dock", transport: "tcp", address: sim.address });
  const token = b.allow();
  let check: ReturnType<typeof openApiCheck> | undefined;
  const call = async (
    method: string,
    path: string,
    options: { token?: string; origin?: string; body?: unknown; type?: string } = {},
  ) => {
    const response = await fetch(`${b.http}${path}`, {
      method,
      headers: {
        ...(options.token ? { authorization: `Bearer ${options.token}` } : {}),
        ...(options.origin ? { origin: options.origin } : {}),
        ...(options.body === undefined ? {} : { "content-type": options.type ?? "application/json" }),
      },
      ...(options.body === undefined
        ? {}
        : { body: typeof options.body === "string" ? options.body : JSON.stringify(options.body) }),
    });
    const text = await response.text();
    check ??= openApiCheck(await (await fetch(`${b.http}/openapi.json`)).json());
    check(method, path, response.status, response.headers.get("content-type") ?? "", text);
    let body: Json = {};
    try {
      body = JSON.parse(text);
    } catch {
      body = {};
    }
    return { status: response.status, headers: response.headers, text, body };
  };
  return { ...sim, ...b, token, call };
}

test("the mirror answers with a token what the protocol answers, and refuses with the same codes", async (t) => {
  const { call, token, url } = await desk(t);
  const page = await admitted(t, url, token);
  const jobId = await page.jobId("print.raw", { printer: "dock", data: LABEL });
  await page.ended(jobId);
  const get = (path: string, options = {}) => call("GET", `/api/v1/${path}`, { token, ...options });
  assert.deepEqual((await get("printers")).body, await page.ask("printers.list"));
  assert.deepEqual((await get(`jobs/${jobId}`)).body, await page.ask("job.get", { jobId }));
  assert.deepEqual((await get("templates")).body, { templates: [] });
  assert.equal((await get("printers/dock/status")).body.state, "ready");

  const refused = async (path: string, options = {}) => {
    const { status, body } = await call("GET", `/api/v1/${path}`, options);
    return [status, body.error];
  };
  assert.deepEqual(await refused("printers"), [401, "AUTH_REQUIRED"]);
  assert.deepEqual(await refused("printers", { token: "no" }), [401, "AUTH_INVALID"]);
  assert.deepEqual(await refused("printers", { token, origin: "https://evil.example" }), [
    403,
    "ORIGIN_DENIED",
  ]);
  assert.deepEqual(await refused("jobs/none", { token }), [404, "JOB_UNKNOWN"]);
  assert.deepEqual(await refused("printers/none/status", { token }), [404, "PRINTER_UNKNOWN"]);
});

test("CORS is for allowed origins, and for anyone's look at /healthz", async (t) => {
  const { call } = await desk(t);
  const allowed = await call("OPTIONS", "/api/v1/printers", { origin: ORIGIN });
  assert.equal(allowed.status, 204);
  assert.equal(allowed.headers.get("access-control-allow-origin"), ORIGIN);
  assert.match(allowed.headers.get("access-control-allow-headers") ?? "", /authorization/);
  const other = await call("OPTIONS", "/api/v1/printers", { origin: "https://evil.example" });
  assert.equal(other.headers.get("access-control-allow-origin"), null);
  assert.equal(
    (await call("GET", "/healthz", { origin: "https://evil.example" })).headers.get(
      "access-control-allow-origin",
    ),
    "*",
  );
});

test("the v2 endpoints print, and origin rules apply", async (t) => {
  const { call, token, printer, allow } = await desk(t);
  const print = (options: object) => call("POST", "/api/v2/printers/dock/print", options);
  assert.equal((await print({ body: { data: LABEL } })).status, 401);
  assert.equal((await print({ body: { data: LABEL }, origin: "https://evil.example" })).status, 403);
  assert.equal((await print({ body: { copies: 1 }, token })).status, 400);
  const { status, body } = await print({
    token,
    body: { data: Buffer.from(LABEL).toString("base64"), encoding: "base64", copies: 2 },
  });
  assert.equal(status, 202);
  await until(
    "it is done",
    async () => (await call("GET", `/api/v2/jobs/${body.jobId}`, { token })).body.state === "Done",
  );
  assert.equal(printer.labels.length, 2);
  assert.equal(((await call("GET", "/api/v2/printers", { token })).body.printers as Json[])[0]?.id, "dock");
  assert.equal((await call("GET", "/api/v2/printers/dock/status", { token })).body.online, true);
  allow("https://old.example", { open: true });
  assert.equal(
    (await call("GET", "/api/v2/printers", { origin: "https://old.example" })).status,
    200,
    "an open origin needs no token",
  );
});

test("a page written for Browser Print finds its printer, prints, asks and reads", async (t) => {
  const { call, allow, printer } = await desk(t);
  const origin = "https://old.example";
  allow(origin, { open: true });
  const text = { origin, type: "text/plain;charset=UTF-8" };
  const available = await call("GET", "/available", { origin });
  const device = (available.body.printer as Json[])[0] as Json;
  assert.deepEqual([device.name, device.uid, device.deviceType], ["Dock", "dock", "printer"]);
  assert.equal((await call("GET", "/default?type=printer", { origin })).body.uid, "dock");
  assert.ok((await call("GET", "/config", { origin })).body.application);
  assert.equal((await call("POST", "/write", { ...text, body: { device, data: LABEL } })).status, 200);
  await until("it is printed", () => printer.labels.length === 1);
  assert.equal((await call("POST", "/write", { ...text, body: { device, data: "~HS" } })).status, 200);
  const answer = await call("POST", "/read", { ...text, body: { device } });
  assert.match(answer.text, /^\x02030,0,0,/);
  assert.equal(
    (await call("POST", "/read", { ...text, body: { device } })).text,
    "",
    "an answer is read once",
  );
  assert.equal((await call("GET", "/available", { origin: "https://evil.example" })).status, 403);
  for (const [data, answer] of [
    ["~hs\r\n", /^\x02030,0,0/],
    ["~hi\r\n", /ZT411/],
    ["^XA^HH^XZ", /RESOLUTION/],
    ['! U1 getvar "device.product_name" \r\n', /ZT411/],
  ] as const) {
    assert.equal((await call("POST", "/write", { ...text, body: { device, data } })).status, 200, data);
    const read = await call("POST", "/read", { ...text, body: { device } });
    assert.match(read.text, answer, "as Zebra's library asks");
  }
  assert.equal((await call("POST", "/write", { ...text, body: "nonsense" })).status, 400);
});

test("the administration is the administrator's: every route, with a token, from no other origin", async (t) => {
  const { call, token, adminToken, printer } = await desk(t);
  const routes = [
    "printers",
    "templates",
    "origins",
    "pairings",
    "license",
    "jobs",
    "logs",
    "about",
    "tls",
    "discovery",
  ];
  for (const route of routes) {
    const path = `/api/v1/admin/${route}`;
    assert.equal((await call("GET", path)).status, 401, route);
    assert.equal((await call("GET", path, { token })).status, 401, `${route} with an origin's token`);
    assert.equal(
      (await call("GET", path, { token: adminToken, origin: ORIGIN })).status,
      403,
      `${route} from a page`,
    );
    assert.equal((await call("GET", path, { token: adminToken })).status, 200, route);
  }
  const admin = (method: string, path: string, body?: unknown) =>
    call(method, `/api/v1/admin/${path}`, { token: adminToken, body });
  const template = { id: "badge", name: "Badge", language: "zpl", dpmm: 8, body: "^XA^FD{{1}}^FS^XZ" };
  assert.equal((await admin("PUT", "templates/badge", template)).body.version, 1);
  assert.equal((await admin("PUT", "templates/badge", template)).body.version, 2);
  assert.equal(
    (await admin("PUT", "templates/badge", { ...template, body: "^XA^FO{{1}},1^XZ" })).status,
    400,
  );
  assert.equal((await admin("DELETE", "templates/badge")).status, 204);
  const approved = await admin("POST", "origins", {
    origin: "https://shop.example",
    printers: { labels: "dock" },
  });
  assert.equal(approved.status, 201);
  const shop = await call("GET", "/api/v1/printers", { token: approved.body.token as string });
  assert.deepEqual(
    (shop.body.printers as Json[]).map(({ id }) => id),
    ["labels"],
  );
  assert.equal((await admin("DELETE", "origins?origin=https%3A%2F%2Fshop.example")).status, 204);
  assert.equal((await call("GET", "/api/v1/printers", { token: approved.body.token as string })).status, 401);
  const listed = (await admin("GET", "printers")).body.printers as Json[];
  const { status: _status, waiting: _waiting, ...record } = listed[0] as Json;
  assert.equal((await admin("PUT", "printers/dock", { ...record, name: "Dock 2" })).status, 200);
  assert.equal((await admin("PUT", "printers/dock", { ...record, transport: "pigeon" })).status, 400);
  assert.equal((await admin("DELETE", "printers/dock")).status, 204);
  assert.equal((await admin("DELETE", "printers/dock")).status, 404);
  assert.equal(printer.labels.length, 0);
});

test("a license that was signed is obeyed, from file or by the administrator; one that was not is refused", async (t) => {
  const home = temporaryHome(t);
  const keys = newSigningKeys();
  writeFileSync(join(home, "key.pem"), keys.publicKey);
  const { call, adminToken, url, token } = await desk(t, { PRINT_LICENSE_KEY: join(home, "key.pem") }, home);
  const page = await admitted(t, url, token);
  const install = (file: string) =>
    call("PUT", "/api/v1/admin/license", { token: adminToken, body: { file } });
  const base = { state: "active", tier: "fleet", rfidEncode: false, serving: true, expiresAt: null } as const;
  const print = (data = LABEL) => page.code("print.raw", { printer: "dock", data });
  assert.equal((await install(issueLicense(base, keys.privateKey))).status, 200);
  assert.deepEqual((await page.ask("hello")).license, base);
  assert.equal(await print(), undefined);
  assert.equal(await print("^XA^RFW,H^FD00^FS^FDx^FS^XZ"), "LICENSE_BLOCKED");
  assert.equal((await install(issueLicense({ ...base, serving: false }, keys.privateKey))).status, 200);
  assert.equal(await print(), "LICENSE_BLOCKED");
  const forged = await install(issueLicense(base, newSigningKeys().privateKey));
  assert.deepEqual([forged.status, forged.body.error], [400, "PROTOCOL_ERROR"]);
  assert.equal(await print(), "LICENSE_BLOCKED", "a refused license changes nothing");
});

test("a fleet's file sets up printers, templates and origins; a mistake in it stops the start with a sentence", async (t) => {
  const home = temporaryHome(t);
  const file = join(home, "fleet.json");
  const secret = systemSecrets.token();
  const sim = await simulator(t);
  writeFileSync(
    file,
    JSON.stringify({
      printers: [{ id: "dock", transport: "tcp", address: sim.address }],
      templates: [{ id: "badge", name: "Badge", language: "zpl", dpmm: 8, body: "^XA^FD{{1}}^FS^XZ" }],
      origins: [
        {
          origin: ORIGIN,
          tokenSha256: [systemSecrets.hash(secret)],
          printers: { labels: "dock" },
          rights: { raw: false, templates: true, rfid: false },
        },
        { origin: "https://kiosk.example", open: true },
      ],
    }),
  );
  const b = await bridge(t, { home, env: { PRINT_CONFIG: file } });
  const kiosk = await speak(t, b.url, { origin: "https://kiosk.example" });
  assert.equal((await kiosk.ask("hello")).authRequired, false);
  const page = await admitted(t, b.url, secret);
  assert.equal(await page.code("print.raw", { printer: "labels", data: LABEL }), "ORIGIN_DENIED");
  const job = await page.ended(
    await page.jobId("print.template", { printer: "labels", template: "badge", labels: [{ params: ["x"] }] }),
  );
  assert.equal(job.state, "Done");
  const good = { id: "late", transport: "tcp", address: sim.address };
  for (const [mistake, sentence] of [
    [{ printers: [good, { id: "dock", transport: "pigeon" }] }, /\/printers\/1\/transport/],
    [
      { printers: [good, { id: "dock", transport: "usb", address: "usb://zebra" }] },
      /"usb:\/\/zebra" is not/,
    ],
    [{ printers: [good], origins: [{ origin: "not an origin" }] }, /not an origin/],
  ] as const) {
    writeFileSync(file, JSON.stringify(mistake));
    const elsewhere = temporaryHome(t);
    await assert.rejects(bridge(t, { home: elsewhere, env: { PRINT_CONFIG: file } }), (error: Error) => {
      assert.match(error.message, /^PRINT_CONFIG names .* cannot be used: [^\n]*[^.]\.$/);
      return sentence.test(error.message);
    });
    const registry = openRegistry(join(elsewhere, "config.db"));
    assert.deepEqual(registry.printers.all(), [], "nothing of it was kept");
    registry.close();
  }
});

test("the API describes itself", async (t) => {
  const { call } = await desk(t);
  const { body } = await call("GET", "/openapi.json");
  const paths = Object.keys(body.paths as object);
  for (const path of ["/api/v1/printers", "/api/v2/printers/{id}/print", "/api/v1/admin/origins", "/healthz"])
    assert.ok(paths.includes(path), path);
});
