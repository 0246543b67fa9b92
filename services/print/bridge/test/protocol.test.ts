import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { fakeClock } from "@frontdesk/testkit/clock";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { WebSocket } from "ws";
import { issueLicense, newSigningKeys } from "../src/adapters/license-file.ts";
import { ERROR_CODES, type ErrorCode } from "../src/domain/errors.ts";
import { METHODS, type MethodName } from "../src/protocol/methods.ts";
import { administer, admitted, bridge, LABEL, ORIGIN, type Speaker, simulator, speak } from "./support.ts";

/** Params that are right, but name nothing that exists. */
const UNKNOWN_IDS: Record<MethodName, [params: object, code: ErrorCode | undefined]> = {
  hello: [{ pairing: "no such claim" }, undefined],
  auth: [{ token: "fdprint_nobody" }, "AUTH_INVALID"],
  ping: [{}, undefined],
  "printers.list": [{}, undefined],
  "printers.status": [{ printer: "nowhere" }, "PRINTER_UNKNOWN"],
  "print.raw": [{ printer: "nowhere", data: LABEL }, "PRINTER_UNKNOWN"],
  "print.template": [{ printer: "dock", template: "nothing", labels: [{ params: [] }] }, "TEMPLATE_UNKNOWN"],
  "job.get": [{ jobId: "nothing" }, "JOB_UNKNOWN"],
  "job.cancel": [{ jobId: "nothing" }, "JOB_UNKNOWN"],
  subscribe: [{ printers: ["nowhere"], jobs: ["nothing"] }, undefined],
  "templates.list": [{ printer: "nowhere" }, "PRINTER_UNKNOWN"],
};

const NAMES = Object.keys(METHODS) as MethodName[];

async function desk(t: Parameters<typeof bridge>[0], env: Record<string, string> = {}) {
  const { printer, address } = await simulator(t);
  const b = await bridge(t, { env });
  b.addPrinter({ id: "dock", transport: "tcp", address });
  return { ...b, printer, token: b.allow() };
}

test("walk: without a token only hello, auth and ping are answered", async (t) => {
  const { url } = await desk(t);
  const page = await speak(t, url);
  for (const name of NAMES) {
    const { error } = await page.call(name, UNKNOWN_IDS[name][0]);
    const expected = METHODS[name].beforeAuth
      ? name === "auth"
        ? "AUTH_INVALID"
        : undefined
      : "AUTH_REQUIRED";
    assert.equal(error?.code, expected, name);
  }
  assert.equal((await page.ask("hello")).authRequired, true);
});

test("walk: a wrong token opens nothing, whatever is asked afterwards", async (t) => {
  const { url } = await desk(t);
  const page = await speak(t, url);
  assert.equal(await page.code("auth", { token: "wrong" }), "AUTH_INVALID");
  for (const name of NAMES.filter((name) => !METHODS[name].beforeAuth)) {
    assert.equal(await page.code(name, UNKNOWN_IDS[name][0]), "AUTH_REQUIRED", name);
  }
});

test("walk: another origin is answered ORIGIN_DENIED to its first frame, whatever that is, and closed with 4403", async (t) => {
  const { url } = await desk(t);
  for (const name of NAMES) {
    const page = await speak(t, url, { origin: "https://evil.example" });
    const { error } = await page.call(name, UNKNOWN_IDS[name][0]);
    assert.equal(error?.code, "ORIGIN_DENIED", name);
    assert.equal("pairing" in (error?.details ?? {}), name === "hello", name);
    assert.equal(await page.closed(), 4403);
  }
  const page = await speak(t, url, { origin: "https://evil.example" });
  assert.equal((await page.send("not json", null)).error?.code, "ORIGIN_DENIED");
  assert.equal(await page.closed(), 4403);
});

test("walk: params that do not fit are PROTOCOL_ERROR with the frame's id, and say what is wrong", async (t) => {
  const { url, token } = await desk(t);
  const page = await admitted(t, url, token);
  for (const name of NAMES) {
    const frame = await page.call(name, { ...UNKNOWN_IDS[name][0], surplus: true });
    assert.equal(frame.error?.code, "PROTOCOL_ERROR", name);
    assert.notDeepEqual(frame.error?.details?.problems ?? [], [], name);
  }
  for (const params of [
    {},
    { printer: "dock", data: 5 },
    { printer: "dock", data: "", copies: 0 },
    { printer: "dock", data: "", encoding: "latin1" },
  ]) {
    assert.equal(await page.code("print.raw", params), "PROTOCOL_ERROR", JSON.stringify(params));
  }
  assert.equal(
    await page.code("print.raw", { printer: "dock", data: "xyz", encoding: "hex" }),
    "PROTOCOL_ERROR",
  );
});

test("a list that is far too long is refused in one place, and its items are not gone through", async (t) => {
  const { url, token } = await desk(t);
  const page = await admitted(t, url, token);
  const { error } = await page.call("subscribe", { jobs: Array(1_000).fill(0) });
  assert.deepEqual(error?.details?.problems, ["/jobs must not have more than 500 items"]);
});

test("walk: what does not exist has its own code", async (t) => {
  const { url, token } = await desk(t);
  const page = await admitted(t, url, token);
  for (const name of NAMES) {
    assert.equal((await page.call(name, UNKNOWN_IDS[name][0])).error?.code, UNKNOWN_IDS[name][1], name);
  }
});

test("walk: a frame over the limit is PAYLOAD_TOO_LARGE for every method, and the connection lives", async (t) => {
  const { url, token } = await desk(t, {
    PRINT_LIMIT_FRAME_BYTES: "20000",
    PRINT_LIMIT_PAYLOAD_BYTES: "5000",
  });
  const page = await admitted(t, url, token);
  for (const name of NAMES) {
    const frame = JSON.stringify({ v: 1, id: "big", method: name, params: { filler: "x".repeat(20_000) } });
    assert.equal((await page.send(frame, null)).error?.code, "PAYLOAD_TOO_LARGE", name);
  }
  const data = `^XA^FD${"x".repeat(6000)}^FS^XZ`;
  assert.equal(await page.code("print.raw", { printer: "dock", data }), "PAYLOAD_TOO_LARGE");
  assert.equal(
    await page.code("print.raw", { printer: "dock", data: LABEL, copies: 1000 }),
    "PAYLOAD_TOO_LARGE",
  );
  assert.equal(await page.code("ping"), undefined);
});

test("walk: too fast is RATE_LIMITED for every method, says how long to wait, and passes again after that", async (t) => {
  const clock = fakeClock();
  const b = await bridge(t, { clock, env: { PRINT_LIMIT_REQUESTS: "20", PRINT_LIMIT_BURST: "40" } });
  for (const name of NAMES) {
    const page = await speak(t, b.url, {});
    for (let n = 0; n < 40; n++) assert.equal(await page.code("ping"), undefined);
    const { error } = await page.call(name, UNKNOWN_IDS[name][0]);
    assert.equal(error?.code, "RATE_LIMITED", name);
    assert.equal(error?.details?.retryAfterMs, 50);
    clock.advance(50);
    assert.equal(await page.code("ping"), undefined);
  }
});

test("a frame that is not one is PROTOCOL_ERROR with no id; another version names the versions spoken", async (t) => {
  const { url, token } = await desk(t);
  const page = await admitted(t, url, token);
  for (const text of [
    "",
    "{",
    "[]",
    "5",
    '{"v":1}',
    '{"v":1,"id":7,"method":"ping"}',
    '{"v":1,"id":"a","method":"ping","extra":1}',
  ]) {
    const frame = await page.send(text, null);
    assert.deepEqual(
      [frame.v, frame.id, frame.error?.code, frame.error?.retryable],
      [1, null, "PROTOCOL_ERROR", false],
      text,
    );
  }
  const other = await page.call("ping", {}, 2);
  assert.deepEqual([other.error?.code, other.error?.details?.versions], ["PROTOCOL_ERROR", [1]]);
  assert.equal(await page.code("printers.destroy"), "PROTOCOL_ERROR");
  const frame = await page.send('{"v":1,"id":"n","method":"ping","params":null}', "n");
  assert.deepEqual([frame.id, frame.error?.code], ["n", "PROTOCOL_ERROR"]);
});

test("hello tells the server, the license and the limits; ping tells the time", async (t) => {
  const { url, token } = await desk(t);
  const page = await speak(t, url);
  const hello = await page.ask("hello", { appName: "shop" });
  assert.deepEqual(hello.license, {
    state: "active",
    tier: "community",
    rfidEncode: true,
    serving: true,
    expiresAt: null,
  });
  assert.deepEqual([hello.server, hello.protocol, hello.authRequired], ["frontdesk-print", 1, true]);
  assert.deepEqual(await page.ask("auth", { token }), { origin: ORIGIN, printers: ["dock"] });
  assert.equal((await page.ask("hello")).authRequired, false);
  assert.equal((await page.ask("ping")).pong, true);
});

test("a program that is no browser needs a token, and its token is its origin", async (t) => {
  const { url, token } = await desk(t);
  const program = await speak(t, url, {});
  assert.equal(await program.code("printers.list"), "AUTH_REQUIRED");
  assert.deepEqual((await program.ask("auth", { token })).origin, ORIGIN);
});

test("a token of one origin is AUTH_INVALID from another, and the sixth wrong one within a minute is RATE_LIMITED", async (t) => {
  const clock = fakeClock();
  const b = await bridge(t, { clock });
  const token = b.allow();
  b.allow("https://other.example");
  const page = await speak(t, b.url, { origin: "https://other.example" });
  for (let n = 0; n < 5; n++) assert.equal(await page.code("auth", { token }), "AUTH_INVALID");
  assert.equal(await page.code("auth", { token }), "RATE_LIMITED");
  const rightful = await speak(t, b.url);
  assert.equal(await rightful.code("auth", { token }), undefined, "one origin's mistakes are not another's");
  clock.advance(60_001);
  assert.equal(await page.code("auth", { token }), "AUTH_INVALID");
});

test("an origin sees its own names and its own jobs only; a name without a device is PRINTER_UNBOUND", async (t) => {
  const { url, allow, token } = await desk(t);
  const limited = allow("https://other.example", { aliases: { labels: "dock", later: "not-there" } });
  const mine = await admitted(t, url, token);
  const theirs = await admitted(t, url, limited, { origin: "https://other.example" });
  const names = async (page: Speaker) =>
    ((await page.ask("printers.list")).printers as { id: string }[]).map(({ id }) => id);
  assert.deepEqual([await names(mine), await names(theirs)], [["dock"], ["labels", "later"]]);
  assert.equal(await theirs.code("printers.status", { printer: "dock" }), "PRINTER_UNKNOWN");
  assert.equal(await theirs.code("print.raw", { printer: "later", data: LABEL }), "PRINTER_UNBOUND");
  const jobId = await theirs.jobId("print.raw", { printer: "labels", data: LABEL });
  assert.equal((await theirs.ended(jobId)).printer, "labels");
  assert.equal(await mine.code("job.get", { jobId }), "JOB_UNKNOWN");
  assert.equal(await mine.code("job.cancel", { jobId }), "JOB_UNKNOWN");
  assert.equal(await theirs.code("job.cancel", { jobId }), "JOB_NOT_CANCELLABLE");
});

test("rights that were not given are refused", async (t) => {
  const { url, allow } = await desk(t);
  const token = allow(ORIGIN, { rights: { raw: false, templates: false, rfid: false } });
  const page = await admitted(t, url, token);
  assert.equal(await page.code("print.raw", { printer: "dock", data: LABEL }), "ORIGIN_DENIED");
  const labels = [{ params: [] }];
  assert.equal(
    await page.code("print.template", { printer: "dock", template: "x", labels }),
    "ORIGIN_DENIED",
  );
});

test("a revoked origin is out at once, though it is connected", async (t) => {
  const { url, token, access } = await desk(t);
  const page = await admitted(t, url, token);
  access.revoke(ORIGIN);
  assert.equal(await page.code("printers.list"), "ORIGIN_DENIED");
  assert.equal(await page.closed(), 4403);
});

test("pairing: a denied page gets a code, an approval makes its claim good for one token", async (t) => {
  const { url, access, pairings } = await desk(t);
  const origin = "https://new.example";
  const first = await speak(t, url, { origin });
  const denied = await first.call("hello", { appName: "New shop" });
  const { claim, code } = (denied.error?.details?.pairing ?? {}) as { claim: string; code: string };
  assert.match(code, /^[A-Z2-9]{6}$/);
  assert.deepEqual(
    (await pairings()).map((pairing) => [pairing.origin, pairing.code, pairing.appName]),
    [[origin, code, "New shop"]],
  );
  access.approve(origin, { code });
  const second = await speak(t, url, { origin });
  const { token } = await second.ask("hello", { pairing: claim });
  assert.equal((await second.ask("auth", { token: token as string })).origin, origin);
  assert.equal("token" in (await second.ask("hello", { pairing: claim })), false, "a claim is good once");
  access.deny("https://bad.example");
  const bad = await speak(t, url, { origin: "https://bad.example" });
  assert.equal(
    (await bad.call("hello")).error?.details,
    undefined,
    "an origin that was refused is not offered again",
  );
});

test("pairing: a page that asks again keeps its code, each browser has its own, and a new browser of an approved origin can ask too", async (t) => {
  const { url, access, pairings } = await desk(t);
  const origin = "https://new.example";
  type Offer = { claim: string; code: string };
  const offered = async (pairing?: string) => {
    const page = await speak(t, url, { origin });
    const { error } = await page.call("hello", { appName: "Shop", ...(pairing ? { pairing } : {}) });
    return error?.details?.pairing as unknown as Offer;
  };
  const one = await offered();
  assert.deepEqual(await offered(one.claim), one, "its retry is the same request");
  const two = await offered();
  assert.notEqual(two.code, one.code);
  assert.deepEqual((await pairings()).map(({ code }) => code).sort(), [one.code, two.code].sort());
  const tokenOf = async ({ claim }: Offer) =>
    (await (await speak(t, url, { origin })).ask("hello", { pairing: claim })).token;
  access.approve(origin, { code: one.code });
  assert.equal(await tokenOf(two), undefined, "the other, which may be anybody, is not let in with it");
  access.approve(origin, { rights: { raw: false, templates: true, rfid: false } });
  assert.equal(await tokenOf(two), undefined, "nor by an edit");
  assert.ok(await tokenOf(one), "an edit takes nothing back either");
  access.approve(origin, { code: two.code });
  assert.ok(await tokenOf(two));
  const third = await speak(t, url, { origin });
  const { pairing } = (await third.ask("hello", { pairing: "" })) as unknown as { pairing: Offer };
  assert.equal(
    (await third.ask("hello", { pairing: pairing.claim })).token,
    undefined,
    "not before it is approved",
  );
  access.approve(origin, { code: pairing.code });
  assert.ok((await third.ask("hello", { pairing: pairing.claim })).token);
  const sandboxed = await speak(t, url, { origin: "null" });
  assert.equal((await sandboxed.call("hello")).error?.details, undefined, "nobody could approve this one");
});

test("pairing: a code is good once, and no longer than the page that shows it may wait", (t) => {
  const clock = fakeClock();
  const { access, registry, close } = administer(temporaryHome(t), clock);
  t.after(close);
  const offer = () => access.offerPairing(ORIGIN, "Shop") as { claim: string; code: string };
  const one = offer();
  access.approve(ORIGIN, { code: one.code });
  assert.ok(access.redeem(one.claim, ORIGIN));
  assert.deepEqual(registry.origins.get(ORIGIN)?.admitted, [], "the code is used up");
  const two = offer();
  access.approve(ORIGIN, { code: two.code });
  clock.advance(15 * 60_000 - 1);
  assert.equal(access.pairings()[0]?.approved, true);
  clock.advance(1);
  assert.equal(access.redeem(two.claim, ORIGIN), undefined);
  access.approve(ORIGIN);
  assert.equal(registry.origins.get(ORIGIN)?.admitted, undefined, "nothing is kept of it");
});

test("pairing: offers in an origin's name are few, and push out no page that still asks", (t) => {
  const clock = fakeClock();
  const { access, close } = administer(temporaryHome(t), clock);
  t.after(close);
  const offers = () =>
    Array.from({ length: 100 }, () => access.offerPairing(ORIGIN, "")).filter(Boolean).length;
  const page = access.offerPairing(ORIGIN, "Shop") as { claim: string; code: string };
  assert.equal(offers(), 4);
  assert.ok(access.offerPairing("https://other.example", ""), "another origin has its own");
  for (let round = 0; round < 30; round++) {
    clock.advance(5_000);
    assert.equal(access.offerPairing(ORIGIN, "Shop", page.claim)?.code, page.code);
    offers();
  }
  clock.advance(5_000);
  offers();
  assert.ok(access.pairings().some(({ code }) => code === page.code));
  clock.advance(10_000);
  assert.equal(offers(), 5, "those that no longer ask make room");
  clock.advance(-3_600_000);
  assert.equal(offers(), 5, "and a clock that is set back keeps nobody out");
});

test("what is not said of an origin that is in already stays as it was", (t) => {
  const { access, close } = administer(temporaryHome(t));
  t.after(close);
  const TEMPLATES = { raw: false, templates: true, rfid: false };
  access.approve(ORIGIN, { aliases: { labels: "dock" }, rights: TEMPLATES, open: true });
  const { aliases, rights, open } = access.approve(ORIGIN, { code: "ABC234" });
  assert.deepEqual([aliases, rights, open], [{ labels: "dock" }, TEMPLATES, true]);
  assert.equal(access.approve(ORIGIN, { aliases: null }).aliases, undefined);
  access.deny(ORIGIN);
  assert.equal(access.approve(ORIGIN).rights.raw, true, "one that was out begins anew");
});

test("a request whose host is not this machine gets nothing, by HTTP or by WebSocket", async (t) => {
  const { port, url, http } = await desk(t);
  const status = (host: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(port, "127.0.0.1", () =>
        socket.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
      );
      socket.once("data", (data) => resolve(String(data).slice(9, 12)));
    });
  assert.equal(await status("rebind.attacker.example"), "421");
  assert.equal(await status(`localhost:${port}`), "200");
  const socket = new WebSocket(url, { headers: { origin: ORIGIN, host: "rebind.attacker.example" } });
  const code = await new Promise((resolve) =>
    socket.on("unexpected-response", (_request, response) => resolve(response.statusCode)),
  );
  assert.equal(code, 421);
  const health = await fetch(`${http}/healthz`, { headers: { origin: "https://anyone.example" } });
  assert.equal(health.headers.get("access-control-allow-origin"), "*");
});

test("every error code can be met", async (t) => {
  const home = temporaryHome(t);
  const keys = newSigningKeys();
  writeFileSync(join(home, "key.pem"), keys.publicKey);
  const clock = fakeClock();
  let broken = false;
  const { address } = await simulator(t, { tags: ["void", "void", "void", "void"] });
  const deaf = await simulator(t, {}, { faults: { deaf: true } });
  const b = await bridge(t, {
    home,
    clock,
    env: { PRINT_LICENSE_KEY: join(home, "key.pem"), PRINT_LIMIT_REQUESTS: "100", PRINT_LIMIT_BURST: "1000" },
    wrapJournal: (journal) => ({
      ...journal,
      get lastSeq() {
        return journal.lastSeq;
      },
      commit: (entries) => (broken ? Promise.reject(new Error("the disk is full")) : journal.commit(entries)),
    }),
  });
  b.addPrinter({ id: "dock", transport: "tcp", address, rfid: true });
  b.addPrinter({ id: "deaf", transport: "tcp", address: deaf.address });
  b.addPrinter({ id: "away", transport: "tcp", address: "127.0.0.1:1" });
  b.addPrinter({ id: "later", transport: "tcp" });
  b.registry.templates.put("t", {
    id: "t",
    name: "t",
    language: "zpl",
    dpmm: 8,
    body: "^XA^FD{{1}}^FS^XZ",
    version: 1,
  });
  const token = b.allow();
  const page = await admitted(t, b.url, token);
  const raw = (printer: string, data = LABEL) => page.code("print.raw", { printer, data });
  const rfid = "^XA^RFW,H^FD0123456789ABCDEF01234567^FS^FDx^FS^XZ";
  const doneJob = await page.jobId("print.raw", { printer: "dock", data: LABEL });
  await page.ended(doneJob);

  const met: Record<ErrorCode, () => Promise<string | undefined>> = {
    ORIGIN_DENIED: async () => (await speak(t, b.url, { origin: "https://evil.example" })).code("hello"),
    AUTH_REQUIRED: async () => (await speak(t, b.url)).code("printers.list"),
    AUTH_INVALID: async () => (await speak(t, b.url)).code("auth", { token: "no" }),
    PRINTER_UNKNOWN: () => raw("nowhere"),
    PRINTER_OFFLINE: () => raw("away"),
    PRINTER_UNBOUND: () => raw("later"),
    TEMPLATE_UNKNOWN: () =>
      page.code("print.template", { printer: "dock", template: "?", labels: [{ params: [] }] }),
    TEMPLATE_PARAMS_MISSING: () =>
      page.code("print.template", { printer: "dock", template: "t", labels: [{ params: [] }] }),
    LANGUAGE_MISMATCH: () => raw("dock", "! 0 200 200 210 1\r\nTEXT 4 0 30 40 Hello\r\nPRINT\r\n"),
    JOB_UNKNOWN: () => page.code("job.get", { jobId: "?" }),
    JOB_NOT_CANCELLABLE: () => page.code("job.cancel", { jobId: doneJob }),
    RFID_VOID_LIMIT: async () => {
      const job = await page.ended(await page.jobId("print.raw", { printer: "dock", data: rfid }));
      return job.error?.code;
    },
    LICENSE_BLOCKED: async () => {
      const expired = {
        state: "active",
        tier: "trial",
        rfidEncode: true,
        serving: true,
        expiresAt: "2025-12-31T00:00:00Z",
      } as const;
      b.registry.settings.put("license", issueLicense(expired, keys.privateKey));
      const code = await raw("dock");
      b.registry.settings.remove("license");
      return code;
    },
    TRANSPORT_TIMEOUT: () => page.code("printers.status", { printer: "deaf" }),
    PAYLOAD_TOO_LARGE: () => page.code("print.raw", { printer: "dock", data: LABEL, copies: 1000 }),
    RATE_LIMITED: async () => {
      const fast = await speak(t, b.url);
      const codes = await Promise.all(Array.from({ length: 1001 }, () => fast.code("ping")));
      return codes.find((code) => code !== undefined);
    },
    PROTOCOL_ERROR: () => page.code("nonsense"),
    INTERNAL: async () => {
      broken = true;
      const code = await raw("dock");
      broken = false;
      return code;
    },
  };
  assert.equal(ERROR_CODES.length, 18);
  for (const code of ERROR_CODES) assert.equal(await met[code](), code);
});

test("the one port speaks wss as well as ws, with a certificate of the local authority for every loopback name", async (t) => {
  const b = await bridge(t);
  const ca = readFileSync(join(b.home, "tls", "ca.crt"));
  for (const name of ["127.0.0.1", "localhost"]) {
    const socket = new WebSocket(`wss://${name}:${b.port}/ws`, {
      ca,
      headers: { origin: "https://evil.example" },
    });
    await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject));
    socket.send("x");
    const [data] = await once(socket, "message");
    assert.equal(JSON.parse(String(data)).error.code, "ORIGIN_DENIED");
    socket.terminate();
  }
  await assert.rejects(
    new Promise((_, reject) => new WebSocket(`wss://127.0.0.1:${b.port}/ws`).on("error", reject)),
    /certificate/,
    "whoever does not trust the authority is not fooled",
  );
});
