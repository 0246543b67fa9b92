import assert from "node:assert/strict";
import { request as plainRequest } from "node:http";
import { test } from "node:test";
import { heldRequest } from "@frontdesk/testkit/held-request";
import { MAX_SESSIONS } from "../src/domain/sign-in.ts";
import { managerDesk, PASSWORD } from "./manager-desk.ts";

test("signing in, the session, and its end", async (t) => {
  const desk = await managerDesk(t);

  await t.test("a wrong name and a wrong password are told apart by nothing", async () => {
    const login = (username: string, password: string) =>
      desk.call("POST", "/api/v1/auth/login", { body: { username, password } });
    const [name, password] = [await login("nobody", PASSWORD), await login("admin", "not it at all")];
    assert.equal(name.status, 401);
    assert.equal(password.status, 401);
    const { request_id: _, ...one } = name.json;
    const { request_id: __, ...other } = password.json;
    assert.deepEqual(one, other);
    assert.equal(name.headers["content-type"], "application/problem+json; charset=utf-8");
  });

  await t.test("the cookie is for this host, https and its own pages alone", async () => {
    const answer = await desk.call("POST", "/api/v1/auth/login", {
      body: { username: "ADMIN", password: PASSWORD },
    });
    assert.deepEqual(answer.json, { user: { username: "admin", role: "admin" } });
    assert.match(
      String(answer.headers["set-cookie"]),
      /^lease_session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict; Max-Age=604800$/,
    );
  });

  await t.test("who signs out is out, with the old cookie too", async () => {
    const admin = await desk.signedIn();
    assert.equal((await admin("GET", "auth/me")).json.user.username, "admin");
    assert.equal((await admin("GET", "auth/session")).json.user.username, "admin");
    assert.equal((await admin("POST", "auth/logout")).status, 204);
    assert.equal((await admin("GET", "auth/me")).status, 401);
    assert.deepEqual((await admin("GET", "auth/session")).json, { user: null });
  });

  await t.test("a cookie that was planted before is not taken over", async () => {
    const planted = { cookie: "lease_session=planted" };
    const answer = await desk.call("POST", "/api/v1/auth/login", {
      body: { username: "admin", password: PASSWORD },
      headers: planted,
    });
    assert.equal(answer.status, 200);
    assert.equal((await desk.call("GET", "/api/v1/auth/me", { headers: planted })).status, 401);
  });

  await t.test("a role that changes, changes for the sessions that are open", async () => {
    const admin = await desk.signedIn();
    const body = { username: "Olga", password: "olga's password", role: "operator" };
    assert.equal((await admin("POST", "users", { body })).status, 201);
    const olga = await desk.signedIn("olga", "olga's password");
    assert.equal((await olga("GET", "users")).status, 403);
    assert.equal((await admin("PATCH", "users/olga", { body: { role: "admin" } })).status, 200);
    assert.equal((await olga("GET", "users")).status, 200);
    assert.equal(
      (await admin("PATCH", "users/olga", { body: { password: "another password" } })).status,
      200,
    );
    assert.equal((await olga("GET", "users")).status, 401, "another password ends the sessions");
    assert.equal((await admin("DELETE", "users/olga")).status, 204);
  });

  await t.test("the last administrator stays", async () => {
    const admin = await desk.signedIn();
    assert.equal((await admin("DELETE", "users/admin")).json.code, "last_admin");
    assert.equal((await admin("PATCH", "users/admin", { body: { role: "viewer" } })).json.code, "last_admin");
    assert.equal((await admin("GET", "users")).status, 200);
  });

  await t.test("one's own password is changed with the old one; other sessions end", async () => {
    const [here, there] = [await desk.signedIn(), await desk.signedIn()];
    const change = (password: string, new_password: string) =>
      here("PUT", "auth/password", { body: { password, new_password } });
    assert.equal((await change("wrong", "a new password")).status, 401);
    assert.equal((await change(PASSWORD, "short")).json.code, "weak_password");
    assert.equal((await change(PASSWORD, "a new password")).status, 204);
    assert.equal((await there("GET", "auth/me")).status, 401);
    assert.equal((await here("GET", "auth/me")).status, 200);
    assert.equal((await change("a new password", PASSWORD)).status, 204);
  });

  await t.test("another origin cannot write with the cookie", async () => {
    const admin = await desk.signedIn();
    const body = { username: "mallory", password: "mallory's own", role: "admin" };
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: `http://127.0.0.1:${desk.port}` },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "https://evil.example", authorization: "Basic YTpi" },
      { origin: "https://evil.example", authorization: "bearer nonsense" },
    ]) {
      const answer = await admin("POST", "users", { body, headers });
      assert.equal(answer.json.code, "cross_origin", JSON.stringify(headers));
    }
    assert.equal((await admin("GET", "users")).json.items.length, 1);
  });

  await t.test("a token works until it is revoked, and has its role only", async () => {
    const admin = await desk.signedIn();
    const body = { name: "inventory", role: "viewer" };
    const { token, id } = (await admin("POST", "tokens", { body })).json;
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await desk.call("GET", "/api/v1/leases", { headers })).status, 200);
    assert.equal((await desk.call("GET", "/api/v1/users", { headers })).status, 403);
    assert.doesNotMatch((await admin("GET", "tokens")).text, new RegExp(token));
    assert.equal((await admin("DELETE", `tokens/${id}`)).status, 204);
    assert.equal((await desk.call("GET", "/api/v1/leases", { headers })).status, 401);
    const past = await admin("POST", "tokens", { body: { ...body, expires_at: "2001-01-01T00:00:00Z" } });
    assert.equal(past.json.code, "token_expired_already");
    const late = { ...body, expires_at: "9999-12-31T23:59:59-23:59" };
    assert.equal((await admin("POST", "tokens", { body: late })).json.code, "token_ends_too_late");
  });

  await t.test("what is done is in the audit log, with who did it", async () => {
    const admin = await desk.signedIn();
    const { items } = (await admin("GET", "audit")).json;
    const told = items.map(
      ({ actor, action, subject }: Record<string, string>) => `${actor} ${action} ${subject}`,
    );
    assert.ok(told.includes("admin user_add olga"));
    assert.ok(told.includes("admin user_remove olga"));
    assert.doesNotMatch(JSON.stringify(items), /olga's|another password|correct horse/);
  });

  await t.test("a body of many levels is refused, whatever it is for", async () => {
    const admin = await desk.signedIn();
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const headers = {
      "content-type": "application/json",
      "if-match": String((await admin("GET", "config")).headers.etag),
    };
    const refused: string[] = [];
    for (const [method, path, body] of [
      ["PUT", "config/full", `{"config":{"a":${deep}}}`],
      ["POST", "config/diff", `{"config":{"a":${deep}}}`],
      ["POST", "reservations", `{"ip":"10.77.0.99","mac":"02:00:00:00:00:99","a":${deep}}`],
      ["POST", "explain", `{"mac":"02:00:00:00:00:01","options":{"1":${deep}}}`],
    ] as const) {
      const answer = await admin(method, path, { body, headers });
      refused.push(`${answer.status} ${answer.json.code}`);
    }
    assert.deepEqual(refused, Array(4).fill("422 too_deep"));
  });

  await t.test("plain http on the same port leads to https", async () => {
    const answer = await new Promise<{ status: number; location: string | undefined }>((resolve, reject) =>
      plainRequest(`http://127.0.0.1:${desk.port}/leases?q=a`, (response) => {
        response.resume();
        resolve({ status: response.statusCode ?? 0, location: response.headers.location });
      })
        .on("error", reject)
        .end(),
    );
    assert.deepEqual(answer, { status: 308, location: `https://127.0.0.1:${desk.port}/leases?q=a` });
  });

  await t.test("a host that is not ours is refused", async () => {
    const answer = await desk.call("GET", "/api/v1/auth/me", { headers: { host: "evil.example" } });
    assert.equal(answer.json.code, "wrong_host");
  });

  await t.test("guessing is slowed down, and the right password of that hour too", async () => {
    const guess = () =>
      desk.call("POST", "/api/v1/auth/login", { body: { username: "admin", password: "guess" } });
    let answer = await guess();
    for (let i = 0; i < 30 && answer.status === 401; i++) answer = await guess();
    assert.equal(answer.status, 429);
    assert.ok(Number(answer.headers["retry-after"]) > 0);
  });
});

test("of one account's sessions the newest are kept", async (t) => {
  const desk = await managerDesk(t);
  const first = await desk.signedIn();
  for (let i = 1; i < MAX_SESSIONS; i++) await desk.signedIn();
  assert.equal((await first("GET", "auth/me")).status, 200);
  const last = await desk.signedIn();
  assert.equal((await first("GET", "auth/me")).status, 401);
  assert.equal((await last("GET", "auth/me")).status, 200);
});

test("a write whose author was removed, demoted or signed out while its body was on the way is refused", async (t) => {
  const desk = await managerDesk(t);
  const admin = await desk.signedIn();
  const password = "a good long password";
  const users = async () =>
    (await admin("GET", "users")).json.items.map(({ username }: { username: string }) => username);
  for (const [n, end] of [
    (name: string) => admin("DELETE", `users/${name}`),
    (name: string) => admin("PATCH", `users/${name}`, { body: { role: "viewer" } }),
    (name: string) => admin("PATCH", `users/${name}`, { body: { password: "another long password" } }),
  ].entries()) {
    const name = `eve${n}`;
    await admin("POST", "users", { body: { username: name, password, role: "admin" } });
    const { cookie } = await desk.signedIn(name, password);
    const held = await heldRequest(`https://127.0.0.1:${desk.port}/api/v1/users`, {
      method: "POST",
      headers: { cookie },
      body: { username: `back${n}`, password, role: "admin" },
      ca: desk.ca,
    });
    assert.ok((await end(name)).status < 300);
    assert.ok([401, 403].includes(await held.finish()), `way ${n}`);
    assert.ok(!(await users()).includes(`back${n}`));
  }
});
