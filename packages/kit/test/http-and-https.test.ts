import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect as connectPlain } from "node:net";
import { type TestContext, test } from "node:test";
import { connect } from "node:tls";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { fakeClock } from "@frontdesk/testkit/clock";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { until } from "@frontdesk/testkit/until";
import { speakHttpsToo } from "../src/http-and-https.ts";
import { createHttpServer } from "../src/http-server.ts";
import { countingIds } from "../src/ids.ts";
import { localIdentity } from "../src/local-ca.ts";
import { createLog } from "../src/log.ts";

const CONNECTIONS = 20;
const HEAD = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";

async function securedServer(t: TestContext, health = async () => {}) {
  const app = await createHttpServer({
    log: createLog({ service: "test", level: "silent", settings: {} }),
    ids: countingIds(),
    title: "test",
    description: "test",
    version: "1",
    publicUrl: "http://localhost",
    statusOf: {},
    health,
  });
  const home = temporaryHome(t);
  const clock = fakeClock(Date.now());
  const secured = speakHttpsToo(app.server, await localIdentity({ home, name: "test", hosts: [], clock }));
  await app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => {
    secured.cutConnections();
    return app.close();
  });
  const { port } = app.server.address() as AddressInfo;
  const open = {
    http: () => connectPlain(port, "127.0.0.1"),
    // Which certificate it is, is told by the tests of the local authority.
    https: () => connect({ port, host: "127.0.0.1", rejectUnauthorized: false }),
  };
  return { app, secured, open };
}

for (const scheme of ["http", "https"] as const) {
  test(`${scheme}: a connection that has ended is kept by nobody`, async (t) => {
    const { app, open } = await securedServer(t);
    const served: Array<WeakRef<object>> = [];
    app.server.on("request", (request) => served.push(new WeakRef(request.socket)));
    for (let i = 0; i < CONNECTIONS; i++) {
      const socket = open[scheme]();
      socket.end(`${HEAD}\r\n`);
      await once(socket.resume(), "close");
    }
    assert.equal(served.length, CONNECTIONS);
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    await until("the sockets are collected", () => {
      collect();
      return served.every((socket) => socket.deref() === undefined);
    });
  });

  test(`${scheme}: half of a request does not keep the server from closing`, async (t) => {
    const { app, open } = await securedServer(t);
    // Nothing but the drain itself closes the connection.
    t.mock.method(app.server, "closeAllConnections", () => {});
    for (const limit of ["headersTimeout", "requestTimeout", "keepAliveTimeout"] as const)
      app.server[limit] = 0;
    const socket = open[scheme]();
    t.after(() => socket.destroy());
    socket.on("error", () => {});
    await once(socket, scheme === "http" ? "connect" : "secureConnect");
    await new Promise((written) => socket.write(HEAD, written));
    // By now the server has the half.
    const whole = open[scheme]();
    whole.end(`${HEAD}\r\n`);
    await once(whole.resume(), "close");
    const cut = once(socket, "close");
    await app.close();
    await cut;
  });
}

for (const scheme of ["http", "https"] as const) {
  test(`${scheme}: a server that closes answers what it was asked, and waits for nobody who has asked nothing`, async (t) => {
    const [isAsked, isLetGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { app, secured, open } = await securedServer(t, () => {
      isAsked.resolve();
      return isLetGo.promise;
    });
    const [silent, half] = [open.http(), open.http()];
    await Promise.all([once(silent, "connect"), once(half, "connect")]);
    // The beginning of a TLS handshake.
    half.write(Buffer.from([0x16, 0x03]));
    const asking = open[scheme]();
    let answer = "";
    asking.setEncoding("utf8").on("data", (chunk) => {
      answer += chunk;
    });
    asking.write(`${HEAD}\r\n`);
    await isAsked.promise;
    const cut = Promise.all([silent, half].map((socket) => once(socket.resume(), "close")));
    secured.cutUnserved();
    const closed = app.close();
    await cut;
    isLetGo.resolve();
    await once(asking, "close");
    assert.match(answer, /^HTTP\/1\.1 200 OK/);
    await closed;
  });
}
