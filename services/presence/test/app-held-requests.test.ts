import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { Secret, TOTP } from "otpauth";
import { revokeToken } from "../src/domain/access.ts";
import { changeProfile, memberById } from "../src/domain/member.ts";
import { APP, appUnderTest, ORIGIN } from "./app-under-test.ts";
import { ANNA, anyEngine, ENGINES } from "./desk-under-test.ts";
import { type Closing, lastInFirstOut } from "./last-in-first-out.ts";

interface Held {
  /** Sends the rest of the body; answers with the status line. */
  finish(): Promise<string>;
}

/** A request whose head has arrived, and whose body has not: the server has judged who asks. */
async function hold(
  t: Closing,
  port: number,
  line: string,
  headers: Readonly<Record<string, string>>,
  content: object,
): Promise<Held> {
  const body = JSON.stringify(content);
  const socket: Socket = connect(port, "127.0.0.1");
  lastInFirstOut(t).after(() => socket.destroy());
  const all = {
    host: `127.0.0.1:${port}`,
    origin: ORIGIN,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    // The server says that it has read the head.
    expect: "100-continue",
    connection: "close",
    ...headers,
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  let came = "";
  socket.on("data", (chunk) => {
    came += chunk;
  });
  socket.write(`${line} HTTP/1.1\r\n${head.join("")}\r\n`);
  while (!came.includes("100 Continue\r\n\r\n")) await once(socket, "data");
  socket.write(body.slice(0, 5));
  return {
    finish: async () => {
      came = "";
      socket.write(body.slice(5));
      await once(socket, "end");
      return came.split("\r\n", 1)[0] ?? "";
    },
  };
}

for (const { engine, database } of ENGINES) {
  test(`${engine}: a write that was begun before its author was removed, demoted or signed out is refused`, async (t) => {
    const app = await appUnderTest(t, database);
    await app.app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = app.app.server.address() as { port: number };
    const anna = await app.signIn(ANNA);
    const begin = async (name: string) => {
      const email = `${name}@example.org`;
      const id = await app.join(email, "admin", name);
      const ask = await app.signIn(email);
      const invitation = { emails: [`of-${name}@example.org`], role: "admin" };
      const line = `POST ${APP}/orgs/acme/invitations`;
      return { id, ask, held: await hold(t, port, line, { cookie: ask.cookie }, invitation) };
    };
    const [removed, demoted, signedOut, stays] = [
      await begin("removed"),
      await begin("demoted"),
      await begin("signed-out"),
      await begin("stays"),
    ];
    assert.equal((await anna("DELETE", `members/${removed.id}`)).status, 204);
    await app.change(async (unit) =>
      changeProfile(unit, await memberById(unit, demoted.id), { role: "reception" }),
    );
    assert.equal((await signedOut.ask("POST", "/auth/logout-everywhere")).status, 200);

    assert.equal(await removed.held.finish(), "HTTP/1.1 404 Not Found");
    assert.equal(await demoted.held.finish(), "HTTP/1.1 403 Forbidden");
    assert.equal(await signedOut.held.finish(), "HTTP/1.1 401 Unauthorized");
    assert.equal(await stays.held.finish(), "HTTP/1.1 201 Created");
    const invited = (await anna("GET", "invitations")).body.data;
    assert.deepEqual(
      invited.map(({ email }: { email: string }) => email),
      ["of-stays@example.org"],
    );
  });

  test(`${engine}: a write that was begun before its token was revoked is refused`, async (t) => {
    const app = await appUnderTest(t, database);
    await app.app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = app.app.server.address() as { port: number };
    const token = await app.token("hr");
    const line = `POST /api/v1/external/orgs/acme/members/${ANNA}/status`;
    const headers = { authorization: `Bearer ${token}` };
    const held = await hold(t, port, line, headers, { status: "sick" });
    const [issued] = await app.reader.tokenList(app.orgId);
    const besideIt = await hold(t, port, line, headers, { status: "sick" });
    await app.change((unit) => revokeToken(unit, issued?.id ?? ""));
    assert.equal(await besideIt.finish(), "HTTP/1.1 401 Unauthorized", "at once where it was revoked");
    app.clock.advance(1_000);
    assert.equal(await held.finish(), "HTTP/1.1 401 Unauthorized");
    const events = await app.events();
    assert.ok(!events.some(({ type }) => type === "member.status.changed"));
  });
}

test("two-step sign-in is not turned on by a session that has ended meanwhile", async (t) => {
  const app = await appUnderTest(t, anyEngine);
  await app.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.app.server.address() as { port: number };
  const [anna, stolen] = [await app.signIn(ANNA), await app.signIn(ANNA)];
  const { secret } = (await stolen("POST", "/me/mfa/totp")).body;
  const totp = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: app.clock.now() });
  const line = `POST ${APP}/me/mfa/totp/confirm`;
  const held = await hold(t, port, line, { cookie: stolen.cookie }, { totp });
  await anna("POST", "/auth/logout-everywhere");
  assert.equal(await held.finish(), "HTTP/1.1 401 Unauthorized");
  const again = await app.signIn(ANNA);
  assert.equal((await again("GET", "/me/mfa")).body.enabled, false);
});
