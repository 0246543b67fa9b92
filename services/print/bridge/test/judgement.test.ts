import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { createLabelRenderer } from "../src/adapters/label-renderer.ts";
import { issueLicense, newSigningKeys } from "../src/adapters/license-file.ts";
import { provision } from "../src/adapters/provisioning.ts";
import { openRegistry } from "../src/adapters/sqlite-registry.ts";
import { admitted, bridge, LABEL, ORIGIN, simulator } from "./support.ts";

async function desk(t: TestContext, rights = { raw: true, templates: true, rfid: true }) {
  const sim = await simulator(t);
  const b = await bridge(t);
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address, rfid: true });
  const token = b.allow(ORIGIN, { rights });
  return { ...sim, ...b, token, page: await admitted(t, b.url, token) };
}

const TAG = "^XA^RFW,H^FD0123^FS^FDx^FS^XZ";

test("the right to RFID is judged on the whole of the data, whatever stands before its first command", async (t) => {
  const { page } = await desk(t, { raw: true, templates: true, rfid: false });
  const raw = (data: string) => page.code("print.raw", { printer: "dock", data });
  for (const before of ["", " ".repeat(300), "x".repeat(5_000), `${LABEL.repeat(50)}`, "\x1bnothing known "])
    assert.equal(await raw(before + TAG), "ORIGIN_DENIED", JSON.stringify(before.slice(0, 10)));
  assert.equal(await raw("^XA^CC#^XZ#RFW,H#FD00#FS#XZ"), "ORIGIN_DENIED", "with another caret");
  assert.equal(
    await raw("words that no printer knows"),
    "ORIGIN_DENIED",
    "what cannot be read may hold anything",
  );
  assert.equal(await raw(LABEL), undefined);
});

test("labels are counted in the whole of the data", async (t) => {
  const { page } = await desk(t);
  const many = `${" ".repeat(400)}^XA^FDx^FS^PQ20000^XZ`;
  assert.equal(await page.code("print.raw", { printer: "dock", data: many }), "PAYLOAD_TOO_LARGE");
  const recalled = "^XA^XFR:T.ZPL^FS^PQ20000^XZ";
  assert.equal(await page.code("print.raw", { printer: "dock", data: recalled }), "PAYLOAD_TOO_LARGE");
});

test("no data is no job", async (t) => {
  const { page } = await desk(t);
  assert.equal(await page.code("print.raw", { printer: "dock", data: "" }), "PROTOCOL_ERROR");
});

test("an origin for templates only may not ask the printer in its own language", async (t) => {
  const { http, token } = await desk(t, { raw: false, templates: true, rfid: false });
  const response = await fetch(`${http}/write`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "text/plain" },
    body: JSON.stringify({ device: { uid: "dock" }, data: '! U1 getvar "device.host_status"\r\n' }),
  });
  assert.equal(response.status, 403);
});

test("whoever may not print is refused before the body is read", async (t) => {
  const { http } = await desk(t);
  const body = "x".repeat(30 * 1024 * 1024);
  const response = await fetch(`${http}/write`, {
    method: "POST",
    headers: { origin: "https://evil.example", "content-type": "text/plain" },
    body,
  }).catch(() => ({ status: 403 }));
  assert.equal(response.status, 403);
});

test("a template is not filled further than a job may be long", async (t) => {
  const { page, registry } = await desk(t);
  const body = `^XA^FX${"x".repeat(900_000)}^FS^FD{{1}}^FS^XZ`;
  registry.templates.put("big", { id: "big", name: "big", language: "zpl", dpmm: 8, body, version: 1 });
  const labels = Array.from({ length: 500 }, () => ({ params: ["x"] }));
  assert.equal(
    await page.code("print.template", { printer: "dock", template: "big", labels }),
    "PAYLOAD_TOO_LARGE",
  );
});

test("a license whose key was changed blocks printing and nothing else; another can be installed", async (t) => {
  const home = temporaryHome(t);
  const [old, fresh] = [newSigningKeys(), newSigningKeys()];
  writeFileSync(join(home, "key.pem"), fresh.publicKey);
  const license = {
    state: "active",
    tier: "fleet",
    rfidEncode: true,
    serving: true,
    expiresAt: null,
  } as const;
  const registry = openRegistry(join(home, "config.db"));
  registry.settings.put("license", issueLicense(license, old.privateKey));
  registry.close();
  const sim = await simulator(t);
  const b = await bridge(t, { home, env: { PRINT_LICENSE_KEY: join(home, "key.pem") } });
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  const page = await admitted(t, b.url, b.allow());
  assert.equal(((await page.ask("hello")).license as { state: string }).state, "suspended");
  assert.equal(await page.code("print.raw", { printer: "dock", data: LABEL }), "LICENSE_BLOCKED");
  const installed = await fetch(`${b.http}/api/v1/admin/license`, {
    method: "PUT",
    headers: { authorization: `Bearer ${b.adminToken}`, "content-type": "application/json" },
    body: JSON.stringify({ file: issueLicense(license, fresh.privateKey) }),
  });
  assert.equal(installed.status, 200);
  assert.equal(await page.code("print.raw", { printer: "dock", data: LABEL }), undefined);
});

test("a fleet's file changes a template's name and density too, and leaves one that is the same alone", (t) => {
  const home = temporaryHome(t);
  const registry = openRegistry(join(home, "config.db"));
  t.after(() => registry.close());
  const template = { id: "badge", name: "Badge", language: "zpl", dpmm: 8, body: "^XA^FD{{1}}^FS^XZ" };
  const file = join(home, "fleet.json");
  const apply = (changed: object) => {
    writeFileSync(file, JSON.stringify({ templates: [{ ...template, ...changed }] }));
    provision(registry, file, 0);
    const { name, dpmm, version } = registry.templates.get("badge") ?? {};
    return [name, dpmm, version];
  };
  assert.deepEqual(apply({}), ["Badge", 8, 1]);
  assert.deepEqual(apply({}), ["Badge", 8, 1]);
  assert.deepEqual(apply({ name: "Visitor" }), ["Visitor", 8, 2]);
  assert.deepEqual(apply({ name: "Visitor", dpmm: 12 }), ["Visitor", 12, 3]);
});

test("a label that takes too long to draw costs no other label its picture", async (t) => {
  const renderer = createLabelRenderer(1);
  t.after(() => renderer.close());
  const size = { widthMm: 50, heightMm: 30, dpmm: 8 };
  const outcomes = await Promise.allSettled([
    renderer.render({ zpl: LABEL, ...size }),
    renderer.render({ zpl: LABEL, ...size }),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["rejected", "rejected"],
    "each has its own time",
  );
  const patient = createLabelRenderer();
  t.after(() => patient.close());
  assert.equal((await patient.render({ zpl: LABEL, ...size })).length, 1);
});
