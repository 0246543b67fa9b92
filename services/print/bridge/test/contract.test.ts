import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "node:tls";
import { listen } from "@frontdesk/print-simulator/listener";
import { fakeClock } from "@frontdesk/testkit/clock";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { Compile } from "typebox/compile";
import { issueLicense, newSigningKeys } from "../src/adapters/license-file.ts";
import { DEFAULT_LIMITS } from "../src/domain/limits.ts";
import { METHODS, type MethodName } from "../src/protocol/methods.ts";
import { admitted, bridge, LABEL, ORIGIN, simulator, speak, until } from "./support.ts";

const RFID = "^XA^RFW,H^FD3034AA^FS^FO9,9^FDx^FS^XZ";

async function desk(t: Parameters<typeof bridge>[0], setup: Parameters<typeof bridge>[1] = {}) {
  const sim = await simulator(t);
  const b = await bridge(t, setup);
  b.addPrinter({ id: "dock", name: "Dock", transport: "tcp", address: sim.address, rfid: true });
  const template = (id: string, body: string) =>
    b.registry.templates.put(id, { id, name: id, language: "zpl", dpmm: 8, body, version: 1 });
  template("badge", "^XA^FO9,9^FD{{1}}^FS^XZ");
  template("tag", "^XA^RFW,H^FD{{1}}^FS^FO9,9^FDx^FS^XZ");
  return { ...sim, ...b };
}

test("every method answers with the fields of the contract, and with no others", async (t) => {
  const clock = fakeClock();
  const b = await desk(t, { clock });
  const token = b.allow();
  const page = await speak(t, b.url);
  const fields = async (method: MethodName, params: object = {}): Promise<Record<string, unknown>> => {
    const result: unknown = await page.ask(method, params);
    const schema = Compile(METHODS[method].result);
    assert.ok(schema.Check(result), `${method}: ${JSON.stringify([...schema.Errors(result)])}`);
    return result as Record<string, unknown>;
  };
  const hello = await fields("hello");
  assert.deepEqual(Object.keys(hello).sort(), [
    "authRequired",
    "license",
    "limits",
    "protocol",
    "server",
    "version",
  ]);
  assert.deepEqual(hello.limits, { ...DEFAULT_LIMITS, requestsPerSecond: 10_000, burst: 10_000 });
  assert.deepEqual(await fields("ping"), { pong: true, time: "2026-01-01T00:00:00.000Z" });
  await fields("auth", { token });
  await until(
    "the printer is seen",
    async () => ((await page.ask("printers.list")).printers as { online: boolean }[])[0]?.online,
  );
  assert.deepEqual(await fields("printers.list"), {
    printers: [
      {
        id: "dock",
        name: "Dock",
        transport: "tcp",
        languages: ["zpl"],
        dpmm: 8,
        rfid: true,
        feedback: "printer",
        online: true,
      },
    ],
  });
  assert.deepEqual(await fields("printers.status", { printer: "dock" }), {
    printer: "dock",
    online: true,
    state: "ready",
    reasons: [],
    labelsRemaining: 0,
    checkedAt: "2026-01-01T00:00:00.000Z",
  });
  const { seq, ...subscribed } = await fields("subscribe");
  assert.deepEqual(
    [Number.isInteger(seq), subscribed],
    [true, { events: ["job.update", "printer.status"], complete: true }],
  );
  const raw = await fields("print.raw", { printer: "dock", data: RFID, encoding: "utf8", copies: 1 });
  assert.deepEqual(Object.keys(raw), ["jobId"]);
  const jobId = raw.jobId as string;
  await page.ended(jobId);
  const job = await fields("job.get", { jobId });
  assert.deepEqual(job, {
    job_id: jobId,
    printer: "dock",
    state: "Done",
    verification: "rfid",
    labels: [{ index: 0, printed: true, encoded: true, voided: false, epc: "3034AA" }],
    reasons: [],
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z",
  });
  await until("the end is told", () => page.jobs().some(({ state }) => state === "Done"));
  assert.deepEqual(page.jobs().at(-1), job, "an event carries the job status object");
  const labels = [{ params: ["Ada"] }];
  assert.deepEqual(
    Object.keys(await fields("print.template", { printer: "dock", template: "badge", labels })),
    ["jobId"],
  );
  await fields("templates.list");
});

test("a printer that goes and comes back is told of, once each way", async (t) => {
  const { printer, listener } = await simulator(t);
  const b = await bridge(t);
  b.addPrinter({ id: "dock", transport: "tcp", address: `127.0.0.1:${listener.port}` });
  const page = await admitted(t, b.url, b.allow());
  await until(
    "it is seen",
    async () => ((await page.ask("printers.list")).printers as { online: boolean }[])[0]?.online,
  );
  await page.ask("subscribe", { events: ["printer.status"] });
  const story = () =>
    page.statuses().map(({ printer, online, state, reasons }) => [printer, online, state, reasons]);
  await listener.stop();
  const gone = ["dock", false, "offline", ["offline"]];
  await until("it is told gone", () => story().at(-1)?.[1] === false);
  const back = await listen(printer, { port: listener.port });
  t.after(() => back.stop());
  await until("it is told back", () => story().at(-1)?.[1] === true);
  // That it was there in the first place may have been on its way when it was asked for.
  const from = story().findIndex(([, online]) => !online);
  assert.deepEqual(story().slice(from), [gone, ["dock", true, "ready", []]]);
});

test("each right is its own: raw data, templates, and RFID in either", async (t) => {
  const b = await desk(t);
  const refused: Record<string, string[]> = {};
  for (const missing of ["raw", "templates", "rfid"] as const) {
    const origin = `https://no-${missing}.example`;
    const rights = { raw: true, templates: true, rfid: true, [missing]: false };
    const page = await admitted(t, b.url, b.allow(origin, { rights }), { origin });
    const labels = [{ params: ["3034AA"] }];
    const asked: Array<[name: string, method: MethodName, params: object]> = [
      ["raw", "print.raw", { printer: "dock", data: LABEL }],
      ["raw with a tag", "print.raw", { printer: "dock", data: RFID }],
      ["template", "print.template", { printer: "dock", template: "badge", labels }],
      ["template with a tag", "print.template", { printer: "dock", template: "tag", labels }],
    ];
    const codes: string[] = [];
    for (const [name, method, params] of asked) {
      const code = await page.code(method, params);
      if (code) codes.push(`${name}: ${code}`);
    }
    refused[missing] = codes;
  }
  assert.deepEqual(refused, {
    raw: ["raw: ORIGIN_DENIED", "raw with a tag: ORIGIN_DENIED"],
    templates: ["template: ORIGIN_DENIED", "template with a tag: ORIGIN_DENIED"],
    rfid: ["raw with a tag: ORIGIN_DENIED", "template with a tag: ORIGIN_DENIED"],
  });
});

test("a license that runs out blocks raw data and templates from that moment on, and hello says so", async (t) => {
  const home = temporaryHome(t);
  const keys = newSigningKeys();
  writeFileSync(join(home, "key.pem"), keys.publicKey);
  const clock = fakeClock();
  const b = await desk(t, { home, clock, env: { PRINT_LICENSE_KEY: join(home, "key.pem") } });
  const expiresAt = "2026-01-02T00:00:00Z";
  const license = { state: "active", tier: "fleet", rfidEncode: true, serving: true, expiresAt } as const;
  b.registry.settings.put("license", issueLicense(license, keys.privateKey));
  const page = await admitted(t, b.url, b.allow());
  const raw = () => page.code("print.raw", { printer: "dock", data: LABEL });
  assert.deepEqual([(await page.ask("hello")).license, await raw()], [license, undefined]);
  clock.advance(24 * 3_600_000);
  assert.deepEqual((await page.ask("hello")).license, { ...license, state: "expired", serving: false });
  const labels = [{ params: ["Ada"] }];
  const template = () => page.code("print.template", { printer: "dock", template: "badge", labels });
  assert.deepEqual([await raw(), await template()], ["LICENSE_BLOCKED", "LICENSE_BLOCKED"]);
});

test("a template request with the same key is the same job", async (t) => {
  const b = await desk(t);
  const page = await admitted(t, b.url, b.allow());
  const request = {
    printer: "dock",
    template: "badge",
    labels: [{ params: ["Ada"] }],
    idempotencyKey: "order-18",
  };
  const first = await page.jobId("print.template", request);
  await page.ended(first);
  assert.equal(await page.jobId("print.template", request), first);
  assert.equal(b.printer.labels.length, 1);
});

test("a pairing runs out, serves nobody but the page it was made for, and only so many wait", async (t) => {
  const clock = fakeClock();
  const b = await desk(t, { clock });
  const offer = async (origin: string) => {
    const page = await speak(t, b.url, { origin });
    const details = (await page.call("hello")).error?.details;
    return details?.pairing as { claim: string; code: string; expiresAt: string } | undefined;
  };
  const redeem = async (origin: string, pairing: string) =>
    (await (await speak(t, b.url, { origin })).ask("hello", { pairing })).token;
  const first = await offer("https://one.example");
  assert.equal(first?.expiresAt, "2026-01-01T00:15:00.000Z");
  b.access.approve("https://one.example");
  b.access.approve("https://two.example");
  assert.equal(await redeem("https://two.example", first?.claim ?? ""), undefined, "another page's claim");
  clock.advance(15 * 60_000 + 1);
  assert.equal(await redeem("https://one.example", first?.claim ?? ""), undefined, "its time is over");
  clock.advance(15 * 60_000 + 1);
  for (let at = 0; at < 100; at++) assert.ok(await offer(`https://page-${at}.example`));
  assert.equal(await offer("https://one-too-many.example"), undefined);
  assert.equal((await b.pairings()).length, 100);
  clock.advance(15 * 60_000 + 1);
  assert.ok(await offer("https://one-too-many.example"), "there is room again when those ran out");
});

test("no token and no claim is kept as it is: only what proves it", async (t) => {
  const b = await desk(t);
  const origin = "https://new.example";
  const denied = await (await speak(t, b.url, { origin })).call("hello");
  const { claim } = (denied.error?.details?.pairing ?? {}) as { claim: string };
  b.access.approve(origin);
  const token = b.allow();
  const page = await admitted(t, b.url, token);
  await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
  await b.close();
  const files = readdirSync(b.home, { recursive: true, encoding: "utf8" })
    .map((name) => join(b.home, name))
    .filter((path) => statSync(path).isFile());
  assert.ok(files.some((path) => path.endsWith("config.db")));
  for (const path of files) {
    const bytes = readFileSync(path);
    assert.ok(!bytes.includes(token) && !bytes.includes(claim), path);
    const isSecret = /admin-token$|\.key$/.test(path);
    if (isSecret) assert.equal(statSync(path).mode & 0o077, 0, `${path} is for its owner alone`);
  }
});

test("a name that is configured is answered to, and stands in the certificate", async (t) => {
  const b = await desk(t, { env: { PRINT_HOSTS: "labels.example.com" } });
  const ca = readFileSync(join(b.home, "tls", "ca.crt"));
  const status = (servername: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect({ host: "127.0.0.1", port: b.port, servername, ca }, () =>
        socket.write(`GET /healthz HTTP/1.1\r\nHost: ${servername}:${b.port}\r\nConnection: close\r\n\r\n`),
      );
      socket.once("data", (data) => resolve(String(data).slice(9, 12)));
      socket.once("error", reject);
    });
  assert.equal(await status("labels.example.com"), "200");
  await assert.rejects(status("other.example.com"), /altnames/);
});

test("the older interfaces refuse with the same codes as the protocol", async (t) => {
  const b = await desk(t, { env: { PRINT_LIMIT_PAYLOAD_BYTES: "5000" } });
  b.addPrinter({ id: "away", transport: "tcp", address: "127.0.0.1:1" });
  b.addPrinter({ id: "later", transport: "tcp" });
  const token = b.allow();
  const large = `^XA^FD${"x".repeat(6_000)}^FS^XZ`;
  const cases: Array<[printer: string, body: Record<string, unknown>, status: number, code: string]> = [
    ["nowhere", { data: LABEL }, 404, "PRINTER_UNKNOWN"],
    ["away", { data: LABEL }, 503, "PRINTER_OFFLINE"],
    ["later", { data: LABEL }, 409, "PRINTER_UNBOUND"],
    ["dock", { data: "! 0 200 200 210 1\r\nPRINT\r\n" }, 422, "LANGUAGE_MISMATCH"],
    ["dock", { data: large }, 413, "PAYLOAD_TOO_LARGE"],
    ["dock", { data: LABEL, copies: 1_000 }, 413, "PAYLOAD_TOO_LARGE"],
    ["dock", { data: "zz", encoding: "hex" }, 400, "PROTOCOL_ERROR"],
    ["dock", { data: 5 }, 400, "PROTOCOL_ERROR"],
  ];
  const post = async (path: string, body: unknown) => {
    const response = await fetch(`${b.http}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return [response.status, ((await response.json()) as { error?: string }).error];
  };
  for (const [printer, body, ...refusal] of cases) {
    assert.deepEqual(await post(`/api/v2/printers/${printer}/print`, body), refusal, JSON.stringify(body));
    if (typeof body.data !== "string" || body.encoding || body.copies) continue;
    assert.deepEqual(await post("/write", { device: { uid: printer }, data: body.data }), refusal, printer);
  }
  assert.deepEqual(await post("/write", { data: LABEL }), [400, "PROTOCOL_ERROR"]);
  const hex = { data: Buffer.from(LABEL).toString("hex"), encoding: "hex" };
  assert.equal((await post("/api/v2/printers/dock/print", hex))[0], 202);
  await until("only that one is printed", () => b.printer.labels.length === 1);
});

test("every route of the administration that the API describes is closed to those without its token", async (t) => {
  const b = await desk(t);
  const { paths } = (await (await fetch(`${b.http}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const routes = Object.entries(paths)
    .filter(([path]) => path.startsWith("/api/v1/admin/") && path !== "/api/v1/admin/session")
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
    );
  assert.ok(routes.length > 25, `${routes.length} routes`);
  const token = b.allow();
  for (const [method, path] of routes) {
    for (const headers of [
      {},
      { authorization: `Bearer ${token}` },
      { cookie: "frontdesk_print=nonsense" },
    ]) {
      const response = await fetch(`${b.http}${path.replaceAll(/\{\w+\}/g, "x")}`, {
        method,
        headers: { origin: ORIGIN, ...headers },
      });
      await response.body?.cancel();
      assert.ok([401, 403].includes(response.status), `${method} ${path}: ${response.status}`);
    }
  }
});
