import assert from "node:assert/strict";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect as connectPlain } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { fakeClock } from "@frontdesk/testkit/clock";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { makeLeaf } from "../src/certificates.ts";
import { createHostGuard } from "../src/host-guard.ts";
import { speakHttpsToo } from "../src/http-and-https.ts";
import { discardAuthorityKey, localIdentity, watchIdentity } from "../src/local-ca.ts";

const DAY_MS = 24 * 60 * 60_000;

function ca(t: TestContext, hosts: readonly string[] = []) {
  const home = temporaryHome(t);
  const clock = fakeClock(Date.now());
  const file = (name: string) => join(home, "tls", name);
  const options = { home, name: "Frontdesk test", hosts, clock };
  return { ...options, options, file, authority: () => readFileSync(file("ca.crt"), "utf8") };
}

async function serve(t: TestContext, identity: { key: string; cert: string }, limits: object = {}) {
  const server = createServer(limits, (_request, response) => response.end("hello"));
  const secured = speakHttpsToo(server, identity, { firstByteMs: 60_000 });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    secured.cutConnections();
  });
  const { port } = server.address() as { port: number };
  return { port, secured };
}

async function handshake(port: number, authority: string, servername = "localhost"): Promise<TLSSocket> {
  const socket = connect({ port, host: "127.0.0.1", ca: authority, servername });
  await once(socket, "secureConnect");
  return socket;
}

test("one port answers http and https, with a certificate of the local authority", async (t) => {
  const { options, authority } = ca(t);
  const { port } = await serve(t, await localIdentity(options));
  const plain = await fetch(`http://127.0.0.1:${port}/`);
  assert.equal(await plain.text(), "hello");
  const secure = await handshake(port, authority());
  secure.end("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  let heard = "";
  for await (const piece of secure) heard += piece;
  assert.match(heard, /hello$/);
});

test("the authority can speak for no other host, not even with its key in wrong hands", async (t) => {
  const { options, file, authority, clock } = ca(t, ["desk.example"]);
  await localIdentity(options);
  const keys = { key: readFileSync(file("ca.key"), "utf8"), cert: authority() };
  const forge = (host: string) =>
    makeLeaf(keys, { subject: "forged", hosts: [host], isLast: false }, clock.now());
  for (const [host, works] of [
    ["desk.example", true],
    ["bank.example", false],
    ["10.0.0.1", false],
    ["127.0.0.2", false],
  ] as const) {
    const leaf = await forge(host);
    const { port } = await serve(t, { key: leaf.key, cert: `${leaf.cert}\n${keys.cert}` });
    const socket = connect({
      port,
      host: "127.0.0.1",
      ca: keys.cert,
      servername: "",
      checkServerIdentity: () => undefined,
    });
    const failure = await new Promise<string | undefined>((resolve) => {
      socket.on("secureConnect", () => resolve(undefined)).on("error", (error) => resolve(error.message));
    });
    socket.destroy();
    assert.equal(failure, works ? undefined : "permitted subtree violation", host);
  }
  const bytes = new X509Certificate(authority());
  assert.ok(bytes.ca);
});

test("keys are for their owner alone, and what is there is used again", async (t) => {
  const { options, file } = ca(t);
  const first = await localIdentity(options);
  assert.deepEqual(await localIdentity(options), first);
  for (const key of ["ca.key", "server.key"]) assert.equal(statSync(file(key)).mode & 0o777, 0o600);
});

test("a leaf is renewed before it runs out, by the same authority, and shown without a restart", async (t) => {
  const { options, authority, clock } = ca(t);
  clock.advance(-380 * DAY_MS);
  const first = await localIdentity(options);
  const { port, secured } = await serve(t, first);
  const before = authority();
  const old = await handshake(port, before);
  const shown = old.getPeerCertificate().serialNumber;
  clock.advance(370 * DAY_MS);
  const second = await localIdentity(options);
  assert.notEqual(second.cert, first.cert);
  assert.equal(authority(), before);
  secured.setIdentity(second);
  const fresh = await handshake(port, before);
  assert.notEqual(fresh.getPeerCertificate().serialNumber, shown);
  old.destroy();
  fresh.destroy();
});

test("once a day it is looked whether the certificate has to be renewed", async (t) => {
  const { options, clock } = ca(t);
  const first = await localIdentity(options);
  t.mock.timers.enable({ apis: ["setInterval"] });
  const renewed = Promise.withResolvers<string>();
  let told = 0;
  const stop = watchIdentity(
    options,
    first,
    ({ cert }) => {
      told++;
      renewed.resolve(cert);
    },
    renewed.reject,
  );
  t.mock.timers.tick(DAY_MS);
  await localIdentity(options);
  assert.equal(told, 0, "it is good for long");
  clock.advance(380 * DAY_MS);
  t.mock.timers.tick(DAY_MS);
  assert.notEqual(await renewed.promise, first.cert);
  stop();
});

test("a new identity that cannot be taken is told as a failure, and offered again", async (t) => {
  const { options, clock } = ca(t);
  const first = await localIdentity(options);
  t.mock.timers.enable({ apis: ["setInterval"] });
  const [failed, taken] = [Promise.withResolvers<Error>(), Promise.withResolvers<void>()];
  let offered = 0;
  const take = () => {
    if (++offered === 1) throw new Error("key values mismatch");
    taken.resolve();
  };
  const stop = watchIdentity(options, first, take, (error) => failed.resolve(error as Error));
  clock.advance(380 * DAY_MS);
  t.mock.timers.tick(DAY_MS);
  assert.match((await failed.promise).message, /key values mismatch/);
  t.mock.timers.tick(DAY_MS);
  await taken.promise;
  stop();
});

test("an authority that may not speak for a new host, or was never constrained, is replaced", async (t) => {
  const { options, authority } = ca(t);
  await localIdentity(options);
  const before = authority();
  await localIdentity({ ...options, hosts: ["desk.example"] });
  assert.notEqual(authority(), before);
});

test("a discarded key leaves a certificate that lasts as long as browsers allow", async (t) => {
  const { options, file, authority, clock } = ca(t);
  await discardAuthorityKey(options);
  assert.equal(existsSync(file("ca.key")), false);
  const before = authority();
  clock.advance(600 * DAY_MS);
  await localIdentity(options);
  assert.equal(authority(), before);
  clock.advance(200 * DAY_MS);
  await localIdentity(options);
  assert.notEqual(authority(), before, "when it runs out there is a new authority");
});

test("headers that never end are cut off, by http and by https", async (t) => {
  const { options, authority } = ca(t);
  const limits = { headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 20 };
  const { port } = await serve(t, await localIdentity(options), limits);
  const plain = connectPlain(port, "127.0.0.1");
  const secure = await handshake(port, authority());
  for (const socket of [plain, secure]) {
    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
    let heard = "";
    for await (const piece of socket) heard += piece;
    assert.match(heard, /^HTTP\/1.1 408 /);
  }
});

test("a connection that says nothing is cut off", async (t) => {
  const { options } = ca(t);
  const server = createServer();
  speakHttpsToo(server, await localIdentity(options), { firstByteMs: 20 });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const socket = connectPlain((server.address() as { port: number }).port, "127.0.0.1");
  await once(socket, "close");
});

test("a host is ours by name, and by no name that only begins like it", () => {
  const isOurs = createHostGuard(["Desk.example"]);
  for (const host of ["localhost", "127.0.0.1:31075", "[::1]:31075", "127.9.9.9", "desk.example:80"])
    assert.ok(isOurs(host), host);
  for (const host of [
    "",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "evil.example",
    "[::2]",
    "a".repeat(10_000),
  ])
    assert.equal(isOurs(host), false, host);
  const byAddress = createHostGuard(["FD00:0::5"]);
  assert.ok(byAddress("[fd00::5]:31074") && byAddress("[fd00::5]"), "an address is in brackets there");
  assert.ok(!byAddress("[fd00::6]"));
});

test("an authority that was made while the clock was ahead is made anew when the clock is right", async (t) => {
  const { options, clock, authority, file } = ca(t);
  clock.advance(400 * DAY_MS);
  await localIdentity(options);
  const early = authority();
  clock.advance(-400 * DAY_MS);
  await localIdentity(options);
  assert.notEqual(authority(), early);
  for (const name of ["ca.crt", "server.crt"])
    assert.ok(Date.parse(new X509Certificate(readFileSync(file(name))).validFrom) <= clock.now(), name);
});

for (const name of ["server.key", "ca.key"])
  test(`a ${name} that is not of its certificate, after a kill between the two, is made anew with it`, async (t) => {
    const { options, file, authority } = ca(t);
    await localIdentity(options);
    const other = ca(t);
    await localIdentity(other.options);
    copyFileSync(other.file(name), file(name));
    // A key of the authority is used only when there is something to sign.
    if (name === "ca.key") await discardAuthorityKey(options);
    const { key, cert } = await localIdentity(options);
    assert.ok(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)));
    assert.ok(new X509Certificate(cert).verify(new X509Certificate(authority()).publicKey));
  });

for (const name of ["server.key", "server.crt", "ca.key", "ca.crt"])
  for (const content of ["", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    test(`a ${name} that is ${content ? "garbled" : "empty"} is made anew`, async (t) => {
      const { options, file, authority } = ca(t);
      await localIdentity(options);
      writeFileSync(file(name), content);
      // A key of the authority is used only when there is something to sign.
      if (name === "ca.key") rmSync(file("server.crt"));
      const { key, cert } = await localIdentity(options);
      assert.ok(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)));
      assert.ok(new X509Certificate(cert).verify(new X509Certificate(authority()).publicKey));
    });
