import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { createPrinter } from "@frontdesk/print-simulator/printer";
import { systemSecrets } from "../src/adapters/secrets.ts";
import { admitted, bridge, LABEL, ORIGIN, simulator, speak } from "./support.ts";

async function desk(t: TestContext) {
  const sim = await simulator(t);
  const b = await bridge(t);
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  return { ...sim, ...b, token: b.allow() };
}

test("a token that was revoked prints nothing more on its open connection, and hears nothing more", async (t) => {
  const { url, token, allow, access } = await desk(t);
  const page = await admitted(t, url, token);
  await page.ask("subscribe");
  const second = await admitted(t, url, allow());
  assert.ok(access.revokeToken(systemSecrets.hash(token)));
  assert.equal(await page.code("print.raw", { printer: "dock", data: LABEL }), "AUTH_REQUIRED");
  const heard = page.events.length;
  await second.ended(await second.jobId("print.raw", { printer: "dock", data: LABEL }));
  assert.equal(await page.code("ping"), undefined);
  assert.equal(page.events.length, heard);
});

/** A printer that says nothing until it is told to, and a page that is let in. */
async function heldPrinter(t: TestContext) {
  const printer = createPrinter();
  const goOn = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    const line = printer.open((text) => socket.write(text, "latin1"));
    socket.on("error", () => {});
    socket.on("data", (bytes) => void goOn.promise.then(() => line.feed(bytes)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const b = await bridge(t, { env: { PRINT_READ_MS: "60000" } });
  const { port } = server.address() as AddressInfo;
  b.addPrinter({ id: "dock", transport: "tcp", address: `127.0.0.1:${port}` });
  return { ...b, printer, goOn: goOn.resolve, token: b.allow() };
}

const DECISIONS: Record<string, (access: Awaited<ReturnType<typeof bridge>>["access"]) => unknown> = {
  AUTH_REQUIRED: (access) => access.revoke(ORIGIN),
  PRINTER_UNKNOWN: (access) => access.approve(ORIGIN, { aliases: { other: "dock" } }),
  ORIGIN_DENIED: (access) => access.approve(ORIGIN, { rights: { raw: false, templates: true, rfid: true } }),
};
for (const [code, decide] of Object.entries(DECISIONS))
  test(`what is taken from an origin while its print waits for the printer's answer holds for it: ${code}`, async (t) => {
    const { url, token, access, printer, goOn } = await heldPrinter(t);
    const page = await admitted(t, url, token);
    const printing = page.code("print.raw", { printer: "dock", data: LABEL });
    // Frames are taken up in their order: the print waits by now.
    await page.call("ping");
    decide(access);
    goOn();
    assert.equal(await printing, code);
    assert.equal(printer.labels.length, 0);
  });

test("an origin that is no longer open has to show a token on its open connection", async (t) => {
  const { url, access } = await desk(t);
  access.approve("https://kiosk.example", { open: true });
  const page = await speak(t, url, { origin: "https://kiosk.example" });
  assert.equal(await page.code("printers.list"), undefined);
  access.approve("https://kiosk.example", { open: false });
  assert.equal(await page.code("print.raw", { printer: "dock", data: LABEL }), "AUTH_REQUIRED");
});

test("wrong tokens in a page's name keep the right one out of nothing", async (t) => {
  const { url, http, token } = await desk(t);
  for (const headers of [{}, { origin: ORIGIN }]) {
    const clumsy = await speak(t, url, headers);
    const wrong = () => clumsy.code("auth", { token: "wrong" });
    for (let n = 0; n < 5; n++) assert.equal(await wrong(), "AUTH_INVALID");
    assert.equal(await wrong(), "RATE_LIMITED");
    assert.equal(await clumsy.code("auth", { token }), undefined);
    const other = await speak(t, url, headers);
    assert.equal(await other.code("auth", { token }), undefined);
    assert.equal(
      await other.code("auth", { token: "wrong" }),
      headers.origin ? "RATE_LIMITED" : "AUTH_INVALID",
    );
  }
  const headers = { origin: ORIGIN, authorization: `Bearer ${token}` };
  assert.equal((await fetch(`${http}/api/v2/printers`, { headers })).status, 200);
});
