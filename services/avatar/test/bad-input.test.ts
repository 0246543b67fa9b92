import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { ANNA, mediaFixture } from "./media-fixture.ts";

const malformed: Array<[name: string, path: string]> = [
  ["too short", `/${ANNA.slice(1)}`],
  ["too long", `/${ANNA}a`],
  ["very long", `/${"a".repeat(10_000)}`],
  ["not hexadecimal", `/${"g".repeat(64)}`],
  ["an e-mail address", "/anna@example.org"],
  ["an MD5", "/0123456789abcdef0123456789abcdef"],
  ["a letter of another script that looks like one of ours", `/${ANNA.slice(1)}%D0%B0`],
  ["full-width digits", `/${ANNA.slice(1)}%EF%BC%91`],
  ["white space around it", `/%20${ANNA}`],
  ["a line break after it", `/${ANNA}%0A`],
  ["a null byte after it", `/${ANNA}%00`],
  ["another suffix", `/${ANNA}.exe`],
  ["another picture suffix", `/${ANNA}.svg`],
  ["a suffix on a suffix", `/${ANNA}.png.json`],
  ["a suffix on a suffix, the other way", `/${ANNA}.json.png`],
  ["an upper-case suffix", `/${ANNA}.PNG`],
  ["a dot at the end", `/${ANNA}.`],
  ["an encoded slash", `/${ANNA}%2F..%2F..%2Fetc%2Fpasswd`],
  ["a parent folder", "/..%2F..%2Fetc%2Fpasswd"],
  ["a semicolon", `/${ANNA};s=512`],
  ["nothing before the suffix", "/.json"],
  ["the alias path with nonsense", "/avatar/nonsense"],
];
for (const [name, path] of malformed) {
  test(`a malformed hash is 400 malformed_hash: ${name}`, async (t) => {
    const { app } = await mediaFixture(t);
    const reply = await app.inject(path);
    assert.deepEqual([reply.statusCode, reply.json()], [400, { error: "malformed_hash" }]);
  });
}

test("a path that does not decode is 400, a path that leads nowhere is 404", async (t) => {
  const { app } = await mediaFixture(t);
  assert.deepEqual(
    [(await app.inject("/%E0%A4%A")).statusCode, (await app.inject("/a/b/c")).statusCode],
    [400, 404],
  );
});

const queries: Array<[name: string, query: string]> = [
  ["a parameter ten thousand characters long", `d=${"x".repeat(10_000)}`],
  ["two thousand parameters", Array.from({ length: 2_000 }, (_, i) => `a${i}=1`).join("&")],
  ["broken percent signs", "s=%&d=%zz&fmt=%E0%A4%A"],
  ["brackets", "s[]=1&s[a]=2&d[__proto__][x]=y"],
  ["prototype names", "__proto__=y&constructor=y&toString=y&hasOwnProperty=y"],
  ["only separators", "&&&===&?&"],
  ["control characters", "s=%00&d=%0d%0aSet-Cookie:x=y&v=%0d%0a"],
  ["another alphabet", "s=%D9%A8%D9%A0&d=%F0%9F%92%A9"],
  ["numbers that are none", "s=NaN&s=Infinity"],
];
for (const [name, query] of queries) {
  test(`an absurd query still gives the default image: ${name}`, async (t) => {
    const { app } = await mediaFixture(t);
    const reply = await app.inject(`/${ANNA}?${query}`);
    assert.equal(reply.statusCode, 200);
    assert.deepEqual(reply.rawPayload, (await app.inject(`/${ANNA}`)).rawPayload);
    assert.equal(reply.headers["set-cookie"], undefined);
  });
}

test("of a repeated parameter the first counts", async (t) => {
  const { app } = await mediaFixture(t);
  const reply = await app.inject(`/${ANNA}?s=32&s=64&d=identicon&d=404&f=y&f=n&fmt=svg&fmt=png`);
  assert.equal(reply.statusCode, 200);
  assert.deepEqual(reply.rawPayload, (await app.inject(`/${ANNA}?s=32&d=identicon&fmt=svg`)).rawPayload);
});

const goodTargets: Array<[d: string, location: string]> = [
  ["https://x.example/a.png", "https://x.example/a.png"],
  ["http://x.example", "http://x.example/"],
  ["HTTPS://X.Example:8443/a?b=c#d", "https://x.example:8443/a?b=c#d"],
  ["https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"],
  ["https://[2001:db8::1]/a", "https://[2001:db8::1]/a"],
  ["https://x.example/?u=javascript:alert(1)", "https://x.example/?u=javascript:alert(1)"],
  ["https://x.example/me@home", "https://x.example/me@home"],
];
for (const [d, location] of goodTargets) {
  test(`d=${d} redirects`, async (t) => {
    const { app } = await mediaFixture(t);
    const reply = await app.inject(`/${ANNA}?d=${encodeURIComponent(d)}`);
    assert.deepEqual([reply.statusCode, reply.headers.location], [302, location]);
  });
}

const badTargets = [
  "javascript:alert(1)",
  "JaVaScRiPt://x.example/%0aalert(1)",
  "data:image/svg+xml,<svg/>",
  "file:///etc/passwd",
  "ftp://x.example/",
  "//x.example/a",
  "/\\x.example/a",
  "\\\\x.example\\a",
  "https:\\\\x.example\\a",
  "https://x.example\\@good.example/",
  "https:x.example",
  "https:/x.example",
  "https:///x.example",
  "https://",
  "https://?x",
  "https://user@x.example/",
  "https://user:pass@x.example/",
  "https://@x.example/",
  "https://:@x.example/",
  "https://good.example%40x.example/",
  "https://x.example/\r\nSet-Cookie: a=b",
  "https://x.exa\tmple/",
  "ht\ntps://x.example/",
  " https://x.example/",
  "https://x.example/ ",
  "https://x.example/\u0000",
  "https://x.example/\u00a0",
  "https://x.example:99999/",
  "https://[::1",
  "https://x .example/",
  "x.example/a.png",
  `https://x.example/${"a".repeat(3_000)}`,
];
for (const d of badTargets) {
  test(`d is not a redirect but the default image: ${JSON.stringify(d.slice(0, 60))}`, async (t) => {
    const { app } = await mediaFixture(t);
    const reply = await app.inject(`/${ANNA}?d=${encodeURIComponent(d)}`);
    assert.equal(reply.statusCode, 200);
    assert.equal(reply.headers.location, undefined);
    assert.deepEqual(reply.rawPayload, (await app.inject(`/${ANNA}`)).rawPayload);
  });
}

test("an operator can say which hosts a redirect may lead to", async (t) => {
  const { app } = await mediaFixture(t, { redirectHosts: ["x.example", "*.cdn.example"] });
  const status = async (d: string) => (await app.inject(`/${ANNA}?d=${encodeURIComponent(d)}`)).statusCode;
  for (const good of [
    "https://x.example/",
    "http://X.EXAMPLE:81/",
    "https://a.cdn.example/",
    "https://a.b.cdn.example/",
  ]) {
    assert.equal(await status(good), 302, good);
  }
  for (const bad of [
    "https://cdn.example/",
    "https://evilcdn.example/",
    "https://x.example.evil.example/",
    "https://ax.example/",
    "https://evil.example/?x.example",
    "https://evil.example/x.example",
    "https://x.example%2eevil.example/",
    "https://x.example./",
  ]) {
    assert.equal(await status(bad), 200, bad);
  }
});

test("over a real connection: no header, however absurd, gives 500 or an unclean end", async (t) => {
  const { app, logLines } = await mediaFixture(t);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as { port: number };
  const say = (request: string) =>
    new Promise<string>((resolve, reject) => {
      let answer = "";
      const socket = connect(port, "127.0.0.1", () => socket.write(request, "latin1"));
      socket.on("data", (chunk) => (answer += chunk.toString("latin1")));
      socket.on("close", () => resolve(answer.split("\r\n")[0] ?? ""));
      socket.on("error", reject);
    });
  const get = (path: string, headers = "") =>
    say(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${headers}\r\n`);
  assert.equal(await get(`/${ANNA}`, `if-none-match: ${'"x",'.repeat(2_000)}\r\n`), "HTTP/1.1 200 OK");
  assert.equal(await get(`/${ANNA}?d=${"x".repeat(14_000)}`), "HTTP/1.1 200 OK");
  assert.equal(await get(`/${ANNA}?d=${"x".repeat(20_000)}`), "HTTP/1.1 431 Request Header Fields Too Large");
  assert.equal(await get(`/${ANNA}?s=\xff\xfe`), "HTTP/1.1 400 Bad Request");
  assert.equal(await get(`http://other.example/${ANNA}`), "HTTP/1.1 200 OK");
  assert.equal(
    await get(`/${ANNA}`, "range: bytes=0-1,5-2,-\r\naccept: nothing/at-all\r\n"),
    "HTTP/1.1 200 OK",
  );
  assert.match(await say("GET / HTTP/9.9\r\n\r\n"), /^HTTP\/1\.1 400/);
  assert.match(await say("FROB / HTTP/1.1\r\nhost: x\r\n\r\n"), /^HTTP\/1\.1 400/);
  assert.doesNotMatch(logLines.join(""), new RegExp(ANNA));
});
