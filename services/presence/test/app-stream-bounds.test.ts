import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { until } from "@frontdesk/testkit/until";
import { MAX_STREAMS_PER_SESSION } from "../src/http/app-streams.ts";
import type { Presence } from "../src/presence.ts";
import { APP, appUnderTest } from "./app-under-test.ts";
import { ANNA, ENGINES } from "./desk-under-test.ts";
import { type Closing, lastInFirstOut } from "./last-in-first-out.ts";
import { openStream, type StreamClient } from "./stream-client.ts";

async function listening(presence: Presence): Promise<{ port: number; base: string }> {
  await presence.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = presence.app.server.address() as { port: number };
  return { port, base: `http://127.0.0.1:${port}${APP}` };
}

const closing = (t: Closing, stream: StreamClient): StreamClient => {
  lastInFirstOut(t).after(() => stream.close());
  return stream;
};

/** Asks for a stream and is gone before the answer. */
const askAndGo = (port: number, path: string, cookie: string): Promise<void> =>
  new Promise((gone) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.once("close", () => gone());
    socket.write(`GET ${APP}${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\n\r\n`, () =>
      setImmediate(() => socket.resetAndDestroy()),
    );
  });

for (const { engine, database } of ENGINES) {
  test(`${engine}: a stream whose caller has gone before it opened counts for nobody`, async (t) => {
    const app = await appUnderTest(t, database);
    const { port, base } = await listening(app);
    const { cookie } = await app.signIn(ANNA);
    for (let i = 0; i < 2 * MAX_STREAMS_PER_SESSION; i++)
      await askAndGo(port, "/orgs/acme/stream", cookie);
    const streams: StreamClient[] = [];
    await until("there is room for every stream of the session", async () => {
      const stream = closing(t, await openStream(`${base}/orgs/acme/stream`, { cookie }));
      if (stream.status === 200) streams.push(stream);
      return streams.length === MAX_STREAMS_PER_SESSION;
    });
    assert.equal((await openStream(`${base}/orgs/acme/stream`, { cookie })).status, 429);
  });
}
