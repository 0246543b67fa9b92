import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import sharp from "sharp";
import { avatarUnderTest, HOMES, hashOf, type Person, type Reply } from "./avatar-under-test.ts";

/**
 * The contract's endpoints, row by row: every answer that it names, and the fields of each 200. That all
 * answers also are what our own document says is watched in every test.
 */
const CONTRACT: Readonly<Record<string, { answers: readonly number[]; fields?: readonly string[] }>> = {
  "GET /{hash}": { answers: [200, 302, 400, 404] },
  "GET /{hash}.json": {
    answers: [200],
    fields: ["hash", "has_avatar", "kind", "version", "updated_at"],
  },
  "GET /me": { answers: [200, 401], fields: ["user", "emails", "is_admin"] },
  "POST /me/name": { answers: [200, 400, 429], fields: ["ok", "first_name", "last_name"] },
  "GET /me/avatar": { answers: [200], fields: ["avatar"] },
  "POST /me/avatar": {
    answers: [200, 400, 409, 429],
    fields: ["ok", "kind", "collection", "version", "hashes"],
  },
  "DELETE /me/avatar": { answers: [200], fields: ["ok", "deleted", "hashes"] },
  "POST /me/avatar/upload": { answers: [200, 413, 415, 429], fields: ["ok", "kind", "version", "hashes"] },
  "POST /me/avatar/from-photo": { answers: [200, 415, 422, 429, 502, 503], fields: ["style", "options"] },
  "GET /me/emails": { answers: [200], fields: ["emails"] },
  "POST /me/emails": { answers: [200, 409, 429], fields: ["ok", "email"] },
  "DELETE /me/emails": { answers: [200, 404, 409], fields: ["ok"] },
  "POST /me/emails/verify": { answers: [200, 401, 409], fields: ["ok", "email"] },
  "POST /me/emails/primary": { answers: [200, 404], fields: ["ok", "email", "emails"] },
  "GET /platform/admins": { answers: [200, 403], fields: ["admins"] },
  "POST /platform/admins": { answers: [200, 404, 429], fields: ["ok", "admin"] },
  "DELETE /platform/admins/{userId}": { answers: [200, 400], fields: ["ok"] },
  "GET /platform/metrics": {
    answers: [200],
    fields: ["totals", "by_kind", "by_style", "generated_at"],
  },
};

const LIMITS = { AVATAR_NAMES: "2", AVATAR_WRITES: "5", AVATAR_PHOTOS: "4", AVATAR_GRANTS: "2" };
const [ANNA, BEN, ROOT] = ["anna@example.org", "ben@example.org", "root@example.org"];

/** Sees a face, then none, and then talks nonsense. */
async function seer(t: TestContext): Promise<string> {
  const answers = [
    { face: true, options: { topVariant: "bob" } },
    { face: false, options: {} },
  ];
  const server = createServer((request, response) =>
    request.resume().on("end", () => {
      const content = JSON.stringify(answers.shift() ?? "what a photo");
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content } }] }));
    }),
  );
  t.after(() => void server.close().closeAllConnections());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/v1`;
}

for (const [home, open] of Object.entries(HOMES)) {
  test(`${home}: every endpoint of the contract gives every answer that the contract names`, async (t) => {
    const desk = await open(t, { ...LIMITS, AVATAR_ADMINS: ROOT, AVATAR_VISION_URL: await seer(t) });
    const blind = await open(t, { AVATAR_MAILS_PER_INBOX: "1" });
    const seen = new Map(Object.keys(CONTRACT).map((row) => [row, new Set<number>()]));
    const note = (row: string, { status, body }: Reply): Reply => {
      seen.get(row)?.add(status);
      const { fields } = CONTRACT[row] ?? {};
      if (fields && status === 200) assert.deepEqual(Object.keys(body).sort(), fields.toSorted(), row);
      if (status >= 400) assert.deepEqual([Object.keys(body), typeof body.error], [["error"], "string"], row);
      return { status, body } as Reply;
    };
    const as = (person: Person) => ({
      get: async (path: string) => note(`GET ${path}`, await person.get(path)),
      post: async (path: string, body?: unknown) => note(`POST ${path}`, await person.post(path, body)),
      text: async (path: string, text: string) =>
        note(`POST ${path}`, await person.call("POST", path, { text })),
      remove: async (path: string, body?: unknown) =>
        note(
          `DELETE ${path.replace(/^(\/platform\/admins\/).*/, "$1{userId}")}`,
          await person.remove(path, body),
        ),
      send: async (path: string, bytes: Uint8Array) => note(`POST ${path}`, await person.upload(bytes, path)),
    });
    const picture = sharp({ create: { width: 32, height: 32, channels: 3, background: "teal" } });
    const [png, webp, gif] = await Promise.all([
      picture.clone().png().toBuffer(),
      picture.clone().webp().toBuffer(),
      picture.clone().gif().toBuffer(),
    ]);

    const people = {
      anna: await desk.person(ANNA),
      ben: await desk.person(BEN),
      root: await desk.person(ROOT),
    };
    const [anna, ben, root] = [as(people.anna), as(people.ben), as(people.root)];
    await as(desk.stranger("nobody@example.org")).get("/me");
    await anna.get("/me");

    await anna.text("/me/name", "{");
    await anna.post("/me/name", { last_name: "Nowak" });
    await anna.post("/me/name", { first_name: "x".repeat(64), last_name: "y".repeat(64) });
    await anna.post("/me/name", { first_name: "Anna" });

    await anna.post("/me/avatar", { collection: "nobody" });
    await anna.text("/me/avatar", "{");
    await anna.post("/me/avatar", { collection: "identicon" });
    await anna.get("/me/avatar");
    await anna.remove("/me/avatar");
    await anna.send("/me/avatar/upload", png);
    await anna.send("/me/avatar/upload", Buffer.alloc(2 * 1024 * 1024 + 1));
    await anna.send("/me/avatar/upload", Buffer.from("<svg/>"));
    await anna.send("/me/avatar/upload", png);
    await anna.post("/me/avatar", {});

    await ben.send("/me/avatar/from-photo", webp);
    await ben.send("/me/avatar/from-photo", png);
    await ben.send("/me/avatar/from-photo", png);
    await ben.send("/me/avatar/from-photo", gif);
    await ben.send("/me/avatar/from-photo", png);
    await as(await blind.person(ANNA)).send("/me/avatar/from-photo", png);

    const work = "anna@work.example";
    await anna.get("/me/emails");
    await anna.post("/me/emails", { email: work });
    await ben.post("/me/emails", { email: work });
    const bens = desk.codeFor(work);
    await anna.post("/me/emails", { email: work });
    await anna.post("/me/emails/verify", { email: work, code: "wrong" });
    await anna.post("/me/emails/primary", { email: work });
    await anna.post("/me/emails/verify", { email: work, code: desk.codeFor(work) });
    await ben.post("/me/emails/verify", { email: work, code: bens });
    await ben.post("/me/emails", { email: work });
    await anna.post("/me/emails/primary", { email: work });
    await anna.remove("/me/emails", { email: work });
    await anna.remove("/me/emails", { email: "nobody@example.org" });
    await anna.remove("/me/emails", { email: ANNA });
    const carl = as(await blind.person("carl@example.org"));
    for (let i = 0; i < 2; i++) await carl.post("/me/emails", { email: work });

    await ben.get("/platform/admins");
    await root.get("/platform/admins");
    await root.get("/platform/metrics");
    await root.post("/platform/admins", { email: BEN });
    await root.post("/platform/admins", { email: "nobody@example.org" });
    await root.post("/platform/admins", { email: BEN });
    const { user } = (await people.ben.get("/me")).body;
    await ben.remove(`/platform/admins/${user.id}`);
    await root.remove(`/platform/admins/${user.id}`);

    // Nobody is left without a verified address by what the service does itself.
    await desk.copies[0]?.store.write((tx) =>
      tx.updateTable("claims").set({ verified_at: null }).where("email", "=", BEN).execute(),
    );
    await ben.post("/me/avatar", {});

    const { media } = desk.copies.at(-1) as (typeof desk.copies)[number];
    const fresh = hashOf("nobody@example.org");
    for (const [row, url] of [
      ["GET /{hash}", `/${fresh}`],
      ["GET /{hash}", `/${fresh}?d=404`],
      ["GET /{hash}", `/${fresh}?d=https://example.org/face.png`],
      ["GET /{hash}", "/not-a-hash"],
      ["GET /{hash}.json", `/${fresh}.json`],
    ] as const) {
      const { statusCode: status, headers, body } = await media.inject(url);
      const isJson = String(headers["content-type"]).startsWith("application/json");
      note(row, { status, body: isJson ? JSON.parse(body) : body } as Reply);
    }
    for (const [row, { answers }] of Object.entries(CONTRACT)) {
      const missing = answers.filter((status) => !seen.get(row)?.has(status));
      assert.deepEqual(missing, [], `${row} never answered so`);
    }
  });
}

test("the contract's endpoints stand in the documents with every answer, under its version", async (t) => {
  const desk = await avatarUnderTest(t);
  const documents = await Promise.all(
    (["api", "media"] as const).map(async (on) =>
      (await desk.copies[0]?.[on].inject("/openapi.json"))?.json(),
    ),
  );
  for (const { openapi, info } of documents) assert.deepEqual([openapi, info.version], ["3.1.0", "1.0.0"]);
  for (const [row, { answers }] of Object.entries(CONTRACT)) {
    const [method = "", path = ""] = row.split(" ");
    const operation = documents.map(({ paths }) => paths[path]?.[method.toLowerCase()]).find(Boolean);
    for (const status of answers) assert.ok(operation?.responses[status], `${row} ${status}`);
  }
});
