import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { test } from "node:test";
import { freePort } from "@frontdesk/testkit/free-port";
import { REFUSALS } from "../src/domain/errors.ts";
import { STATUS_OF } from "../src/http/api-statuses.ts";
import { HOMES, hashOf, type Person } from "./avatar-under-test.ts";
import { checkedFetch } from "./openapi-check.ts";

const EMAIL = "anna@example.org";
const refused = async (reply: ReturnType<Person["post"]>, status: number, error: string, what = "") => {
  const { status: given, body } = await reply;
  assert.deepEqual([given, body], [status, { error }], what);
};

const BAD_OPTIONS: Array<[name: string, json: string]> = [
  ["an unknown key", '{"hat":"tall"}'],
  ["a URL as a value", '{"topVariant":"https://evil.example/x.svg"}'],
  ["a URL as a colour", '{"skinColor":"url(https://evil.example)"}'],
  ["an attribute as a colour", '{"skinColor":"#fff\\" onload=\\"alert(1)"}'],
  ["__proto__", '{"__proto__":{"topVariant":"hat"}}'],
  ["constructor", '{"constructor":{"prototype":{"x":1}}}'],
  ["toString", '{"toString":"hat"}'],
  ["what the generator knows and we do not offer", '{"size":4096}'],
  ["a font", '{"fontFamily":"x"}'],
  ["a title", '{"title":"<script>"}'],
  ["a seed among the options", '{"seed":"x"}'],
  ["an empty list", '{"topVariant":[]}'],
  ["a list of lists", '{"topVariant":[["hat"]]}'],
  ["a list with one that is unknown", '{"topVariant":["hat","tall"]}'],
  ["a list too long", JSON.stringify({ topVariant: Array(129).fill("hat") })],
  ["an object", '{"topVariant":{"hat":1}}'],
  ["null", '{"topVariant":null}'],
  ["a number for a choice", '{"topVariant":1}'],
  ["a text for a number", '{"rotate":"90"}'],
  ["a number out of range", '{"rotate":361}'],
  ["a number beyond all", '{"rotate":1e999}'],
  ["several where one is meant", '{"rotate":[1,2]}'],
];

for (const [home, open] of Object.entries(HOMES)) {
  test(home, async (t) => {
    const desk = await open(t, { AVATAR_ADMINS: EMAIL });
    const anna = await desk.person(EMAIL);
    for (const [name, json] of BAD_OPTIONS) {
      await t.test(`${home}: options with ${name} are refused, and nothing changes`, async () => {
        await anna.post("/me/avatar", { collection: "identicon" });
        const before = await desk.metadata(hashOf(EMAIL));
        const text = `{"collection":"avataaars","options":${json}}`;
        await refused(anna.call("POST", "/me/avatar", { text }), 400, "bad_options");
        await refused(anna.call("POST", "/me/avatar/preview", { text }), 400, "bad_options");
        assert.deepEqual(await desk.metadata(hashOf(EMAIL)), before);
        assert.equal((await anna.get("/me/avatar")).body.avatar.collection, "identicon");
      });
    }

    await t.test(`${home}: designs of the wrong type, collection or seed are refused`, async () => {
      const before = (await anna.get("/me/avatar")).body;
      for (const collection of ["", "nobody", "__proto__", "constructor", 1, [], {}, true, "PERSONAS"])
        await refused(anna.post("/me/avatar", { collection }), 400, "bad_collection", String(collection));
      for (const seed of [1, [], {}, true, "x".repeat(257)])
        await refused(anna.post("/me/avatar", { seed }), 400, "bad_seed");
      for (const options of [1, [], "x", true])
        await refused(anna.post("/me/avatar", { options }), 400, "bad_options");
      for (const body of [[], "x", 1, true, null])
        await refused(anna.post("/me/avatar", body), 400, "bad_options");
      for (const text of ["{", "", "\u0000", '{"a":1}}'])
        await refused(anna.call("POST", "/me/avatar", { text }), 400, "bad_json", JSON.stringify(text));
      assert.deepEqual((await anna.get("/me/avatar")).body, before);
    });

    await t.test(
      `${home}: seeds of every script, and texts that look like markup, are drawn and harm nothing`,
      async () => {
        for (const seed of [
          "",
          "Ж Ω",
          "李 小龙",
          "👩‍🚀",
          "<script>alert(1)</script>",
          "&amp; \"'",
          "\u0000\u202e",
          "\ud800",
        ]) {
          for (const collection of ["initials", "personas"]) {
            const { status, bytes } = await anna.post("/me/avatar/preview", { collection, seed });
            assert.equal(status, 200, JSON.stringify(seed));
            assert.ok(!bytes.includes("<script") && !bytes.includes("<text"), JSON.stringify(seed));
          }
        }
        assert.equal((await anna.post("/me/avatar", { collection: "initials", seed: "李 <&>" })).status, 200);
      },
    );

    await t.test(
      `${home}: bodies of the wrong type and size are refused on every route that takes one`,
      async () => {
        const routes: Array<[method: string, path: string]> = [
          ["POST", "/auth/code"],
          ["POST", "/auth/verify"],
          ["POST", "/me/emails"],
          ["DELETE", "/me/emails"],
          ["POST", "/me/emails/verify"],
          ["POST", "/me/emails/primary"],
          ["POST", "/me/mfa/totp/confirm"],
          ["DELETE", "/me/mfa/totp"],
          ["POST", "/platform/admins"],
          ["DELETE", "/me"],
        ];
        const before = (await anna.get("/me/export")).body;
        for (const [method, path] of routes) {
          const ask = (request: Parameters<Person["call"]>[2]) => anna.call(method, path, request);
          for (const body of [
            [],
            "x",
            1,
            null,
            {},
            { email: 1, code: 1, totp: 1, confirm: 1 },
            { email: EMAIL, code: "1", totp: "1", confirm: EMAIL, more: 1 },
          ])
            await refused(ask({ body }), 400, "invalid_request", `${path} ${JSON.stringify(body)}`);
          await refused(ask({ text: "{" }), 400, "bad_json", path);
          await refused(ask({ text: `"${"x".repeat(70_000)}"` }), 413, "body_too_large", path);
          await refused(
            ask({ text: "a=1", headers: { "content-type": "text/plain" } }),
            415,
            "unsupported_media_type",
            path,
          );
          await refused(
            ask({
              body: {
                email: "x".repeat(400),
                code: "x".repeat(400),
                totp: "x".repeat(400),
                confirm: "x".repeat(400),
              },
            }),
            400,
            "invalid_request",
            path,
          );
        }
        assert.deepEqual((await anna.get("/me/export")).body, before);
      },
    );

    await t.test(`${home}: what is no e-mail address is refused wherever one is asked for`, async () => {
      const mails = desk.mails().length;
      const addresses = [
        "",
        "anna",
        "@example.org",
        "anna@",
        "a@b@c",
        "anna@exa mple.org",
        "anna@example..org",
        ".anna@example.org",
        "anna@-example.org",
        '"anna smith"@example.org',
        "anna@[127.0.0.1]",
        "Anna <anna@example.org>",
        "anna@example.org, ben@example.org",
        "anna@example.org\r\nBcc: ben@example.org",
        "anna\u0000@example.org",
        `${"x".repeat(65)}@example.org`,
        `anna@${"x".repeat(64)}.org`,
        `a@${"x.".repeat(130)}org`,
      ];
      for (const email of addresses) {
        for (const [path, body] of [
          ["/auth/code", { email }],
          ["/auth/verify", { email, code: "123456" }],
          ["/me/emails", { email }],
          ["/me/emails/verify", { email, code: "123456" }],
          ["/me/emails/primary", { email }],
          ["/platform/admins", { email }],
        ] as const)
          await refused(anna.post(path, body), 400, "invalid_email", JSON.stringify(email));
      }
      assert.equal(desk.mails().length, mails);
    });

    await t.test(`${home}: paths that are not there are 404, methods that are not are 405`, async () => {
      for (const path of [
        "/nothing",
        "/me/nothing",
        "/me/avatar/upload/x",
        "/..%2f..%2fetc/passwd",
        "/assets/x.js",
      ])
        assert.equal((await anna.get(path)).status, 404, path);
      for (const [method, path] of [
        ["PUT", "/me"],
        ["GET", "/auth/code"],
        ["PATCH", "/me/avatar"],
      ] as const)
        assert.equal((await anna.call(method, path)).status, 405, `${method} ${path}`);
    });

    await t.test(`${home}: an account without a verified address cannot save`, async () => {
      const ben = await desk.person("ben@example.org");
      await desk.copies[0]?.store.write((tx) =>
        tx.updateTable("claims").set({ verified_at: null }).where("email", "=", ben.email).execute(),
      );
      await refused(ben.post("/me/avatar", {}), 409, "no_verified_email");
      await refused(ben.upload(Buffer.from("x")), 409, "no_verified_email");
    });

    await t.test(
      `${home}: floods of headers and bodies end with a clear answer, and the service goes on`,
      async () => {
        const port = await freePort();
        await desk.copies.at(-1)?.api.listen({ port, host: "127.0.0.1" });
        const send = (head: string, flood: string) =>
          new Promise<string>((resolve) => {
            const socket = connect(port, "127.0.0.1");
            let text = "";
            socket.on("data", (chunk) => (text += chunk));
            socket.on("error", () => resolve(text));
            socket.on("close", () => resolve(text));
            socket.write(head);
            socket.write(flood);
          });
        const head = `POST /auth/code HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n`;
        assert.match(
          await send(head, `X-Flood: ${"x".repeat(100_000)}\r\n\r\n`),
          /^HTTP\/1\.1 431 [\s\S]*\{"error":"headers_too_large"\}$/,
        );
        const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
        assert.match(
          await send(`${head}Transfer-Encoding: chunked\r\n\r\n`, chunk.repeat(4)),
          /^HTTP\/1\.1 413 [\s\S]*\{"error":"body_too_large"\}/,
        );
        assert.match(
          await send(`${head}Content-Length: 99999999\r\nConnection: close\r\n\r\n`, ""),
          /^HTTP\/1\.1 413 /,
        );
        assert.equal((await checkedFetch(`http://127.0.0.1:${port}/healthz`)).status, 200);
      },
    );
  });
}

test("every refusal has a status and a sentence, and the guide lists them all", async () => {
  const guide = readFileSync(new URL("../../../docs/avatar.md", import.meta.url), "utf8");
  for (const [code, sentence] of Object.entries(REFUSALS)) {
    assert.ok(STATUS_OF[code as keyof typeof STATUS_OF] >= 400, code);
    assert.match(sentence, /^[A-Z].*\.$/);
    assert.ok(
      guide.includes(`| \`${code}\` | ${STATUS_OF[code as keyof typeof STATUS_OF]} |`),
      `the guide lists ${code}`,
    );
  }
});
