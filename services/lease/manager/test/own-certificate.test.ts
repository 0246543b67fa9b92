import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "node:tls";
import { makeAuthority, makeLeaf } from "@frontdesk/kit/certificates";
import { speakHttpsToo } from "@frontdesk/kit/http-and-https";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { until } from "@frontdesk/testkit/until";
import { readCertificate, usableCertificate, watchCertificate } from "../src/adapters/own-certificate.ts";

test("another certificate in the files is shown to whoever connects next; half of one changes nothing", async (t) => {
  const folder = temporaryHome(t);
  const files = { cert: join(folder, "tls.crt"), key: join(folder, "tls.key") };
  const hosts = ["localhost"];
  const authority = await makeAuthority("test", hosts, Date.now());
  const make = () => makeLeaf(authority, { subject: "test", hosts, isLast: false }, Date.now());
  const put = (part: "cert" | "key", text: string) => writeFileSync(files[part], text);
  const [first, second] = [await make(), await make()];
  put("cert", first.cert);
  put("key", first.key);

  const server = createServer((_request, response) => response.end("ok"));
  const shown = readCertificate(files);
  const secured = speakHttpsToo(server, shown);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    secured.cutConnections();
    server.close();
  });
  const failures: string[] = [];
  const failed = (error: unknown) => failures.push((error as Error).message);
  t.after(watchCertificate(files, shown, { changed: secured.setIdentity, failed }, 5));

  const serialNow = async () => {
    const { port } = server.address() as { port: number };
    const socket = connect({ port, host: "127.0.0.1", servername: "localhost", ca: authority.cert });
    await once(socket, "secureConnect");
    const { serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return serialNumber;
  };
  const serialOf = ({ cert }: { cert: string }) => new X509Certificate(cert).serialNumber;
  assert.equal(await serialNow(), serialOf(first));

  put("cert", second.cert);
  await until("that they do not fit is told", () => failures.length === 1);
  assert.equal(await serialNow(), serialOf(first));
  put("key", second.key);
  await until("the other one is shown", async () => (await serialNow()) === serialOf(second));
  assert.equal(failures.length, 1, "told once");

  rmSync(files.key);
  await until("that it is gone is told", () => failures.length === 2);
  assert.equal(await serialNow(), serialOf(second));
});

test("files that cannot be used are told by their setting and their name", async (t) => {
  const folder = temporaryHome(t);
  const [cert, key] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  const hosts = ["localhost"];
  const authority = await makeAuthority("test", hosts, Date.now());
  const make = () => makeLeaf(authority, { subject: "test", hosts, isLast: false }, Date.now());
  const [good, other] = [await make(), await make()];
  const use = (certificate: string | undefined, itsKey: string | undefined) => {
    for (const [path, text] of [
      [cert, certificate],
      [key, itsKey],
    ] as const) {
      rmSync(path, { force: true });
      if (text !== undefined) writeFileSync(path, text);
    }
    return usableCertificate({ cert, key });
  };
  assert.deepEqual(use(good.cert, good.key), good);
  const told = (setting: string, path: string, why: RegExp) => (error: Error) => {
    assert.equal(error.name, "StartProblem");
    assert.ok(error.message.startsWith(`${setting} must name a PEM file with `), error.message);
    assert.ok(error.message.includes(`"${path}" (`), error.message);
    assert.match(error.message, why);
    return true;
  };
  assert.throws(() => use(undefined, good.key), told("LEASE_TLS_CERT", cert, /ENOENT/));
  assert.throws(() => use(good.cert, undefined), told("LEASE_TLS_KEY", key, /ENOENT/));
  assert.throws(() => use("", good.key), told("LEASE_TLS_CERT", cert, /\(.+\)\.$/));
  assert.throws(() => use(good.cert, "half of it"), told("LEASE_TLS_KEY", key, /\(.+\)\.$/));
  assert.throws(() => use(good.cert, other.key), told("LEASE_TLS_KEY", key, /the key of another one/));
  const cutOff = `${good.cert}\n-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n`;
  assert.throws(() => use(cutOff, good.key), told("LEASE_TLS_CERT", cert, /\(.+\)\.$/));
});
