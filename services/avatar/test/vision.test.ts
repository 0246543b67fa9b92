import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { DomainError } from "@frontdesk/kit/domain-error";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import sharp from "sharp";
import { createPhotos } from "../src/domain/photo.ts";
import { createStyleCatalogue } from "../src/render/style-catalogue.ts";
import { localVision } from "../src/vision/local-vision.ts";
import { openAiVision } from "../src/vision/openai-vision.ts";
import { anyHome } from "./avatar-under-test.ts";
import { databaseBytes, filesBelow } from "./what-is-kept.ts";

const EMAIL = "anna@example.org";
const PHOTO = "/me/avatar/from-photo";
const SAMPLES = new URL("../demo/", import.meta.resolve("@vladmandic/face-api/dist/face-api.esm.js"));
const face = readFileSync(new URL("sample1.jpg", SAMPLES));
const avataaars = createStyleCatalogue().optionsOf("avataaars");

const SMILING = { left: 1376, top: 64, width: 544, height: 640 };

/** Somebody with long hair who smiles, out of a photo of several. */
const smiling = () =>
  sharp(readFileSync(new URL("sample6.jpg", SAMPLES)))
    .extract(SMILING)
    .png()
    .toBuffer();

interface Asked {
  readonly authorization: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: what our own adapter wrote
  readonly body: any;
}

const GOOD = {
  skinColor: "#edb98a",
  topVariant: "shortFlat",
  hairColor: "#2c1b18",
  accessoriesProbability: 0,
};

type Answer = (reply: ServerResponse, asked: Asked, count: number) => void;

/** An endpoint that speaks OpenAI's protocol, and answers as the test wants at the time. */
async function endpoint(t: TestContext) {
  const asked: Asked[] = [];
  let answer: Answer = () => {};
  const server = createServer((request, reply) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      assert.equal(`${request.method} ${request.url}`, "POST /v1/chat/completions");
      const { authorization } = request.headers;
      const one = { authorization, body: JSON.parse(Buffer.concat(chunks).toString()) };
      asked.push(one);
      answer(reply, one, asked.length);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/v1`,
    /** From now on it answers so; with what it was asked since. */
    answers: (now: Answer) => {
      answer = now;
      asked.length = 0;
      return asked;
    },
  };
}

function says(reply: ServerResponse, content: unknown, more: object = {}): void {
  const message = {
    role: "assistant",
    content: typeof content === "string" ? content : JSON.stringify(content),
    ...more,
  };
  reply.setHeader("content-type", "application/json");
  reply.end(
    JSON.stringify({
      id: "x",
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: "stop" }],
    }),
  );
}

const LIES: Record<string, unknown> = {
  "an unknown option": { face: true, options: { ...GOOD, hat: "tall" } },
  "an unknown value": { face: true, options: { ...GOOD, topVariant: "https://evil.example/x.svg" } },
  "a colour that is none": { face: true, options: { skinColor: "url(https://evil.example)" } },
  "a prototype": '{"face":true,"options":{"__proto__":{"x":1}}}',
  "options that are none": { face: true, options: ["shortFlat"] },
  "no options": { face: true },
  "a face that is no yes and no no": { face: "yes", options: GOOD },
  "no JSON": "A friendly person with short hair.",
  nothing: "",
};
const FAILURES: Record<string, (reply: ServerResponse) => void> = {
  "refuses politely": (reply) => says(reply, "", { content: null, refusal: "I cannot help with that." }),
  "answers 500": (reply) => void reply.writeHead(500).end("{}"),
  "answers 401": (reply) => void reply.writeHead(401).end("{}"),
  "breaks off": (reply) => void reply.destroy(),
  "answers without end": (reply) => void reply.writeHead(200).end("x".repeat(1_000_000)),
  "sends elsewhere": (reply) => void reply.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
  "answers with another protocol": (reply) => void reply.end('{"result":"ok"}'),
};
test("photos", async (t) => {
  const { url, answers } = await endpoint(t);
  const desk = await anyHome(t, {
    AVATAR_VISION_URL: url,
    AVATAR_VISION_KEY: "a-key-of-ours",
    AVATAR_VISION_MODEL: "seer",
  });
  const anna = await desk.person(EMAIL);
  await t.test(`a photo becomes options of avataaars, and nothing is saved`, async () => {
    const asked = answers((reply) => says(reply, { face: true, options: GOOD }));
    const { status, body } = await anna.upload(face, PHOTO);
    assert.deepEqual([status, body], [200, { style: "avataaars", options: GOOD }]);
    assert.deepEqual((await anna.get("/me/avatar")).body, { avatar: null });
    assert.equal((await anna.get("/config")).body.vision, true);

    assert.equal(asked.length, 1);
    assert.equal(asked[0]?.authorization, "Bearer a-key-of-ours");
    const { model, messages, response_format } = asked[0]?.body ?? {};
    assert.deepEqual(
      [model, response_format.type, response_format.json_schema.strict],
      ["seer", "json_schema", true],
    );
    const sent = Buffer.from(messages[1].content[0].image_url.url.split(",")[1], "base64");
    const { width, height, exif, format } = await sharp(sent).metadata();
    assert.deepEqual([Math.max(width, height), exif, format], [512, undefined, "jpeg"]);
    // What it offers to choose from is what the style takes.
    const { properties } = response_format.json_schema.schema.properties.options;
    for (const [name, { enum: values }] of Object.entries(
      properties as Record<string, { enum: unknown[] }>,
    )) {
      const option = avataaars.find((each) => each.name === name);
      assert.ok(option, name);
      if (option.values) assert.deepEqual(values, option.values);
    }
    assert.ok(!desk.logLines.join("").includes("a-key-of-ours"));
  });

  await t.test(`a photo without a face is 422`, async () => {
    answers((reply) => says(reply, { face: false, options: {} }));
    const { status, body } = await anna.upload(face, PHOTO);
    assert.deepEqual([status, body], [422, { error: "no_face" }]);
  });

  for (const [name, content] of Object.entries(LIES)) {
    await t.test(`an answer with ${name} is 502`, async () => {
      answers((reply) => says(reply, content));
      const { status, body } = await anna.upload(face, PHOTO);
      assert.deepEqual([status, body], [502, { error: "suggestion_failed" }]);
    });
  }

  for (const [name, answer] of Object.entries(FAILURES)) {
    await t.test(`an endpoint that ${name} is asked once more, then it is 502`, async () => {
      const asked = answers(answer);
      const { status, body } = await anna.upload(face, PHOTO);
      assert.deepEqual([status, body], [502, { error: "suggestion_failed" }]);
      assert.equal(asked.length, 2);
    });
  }

  await t.test(`an endpoint that fails once is forgiven`, async () => {
    answers((reply, _asked, count) =>
      count === 1 ? void reply.writeHead(503).end() : says(reply, { face: true, options: GOOD }),
    );
    assert.equal((await anna.upload(face, PHOTO)).status, 200);
  });

  await t.test(`a GIF, and what is no picture, is refused before anybody looks at it`, async () => {
    const asked = answers((reply) => says(reply, { face: true, options: GOOD }));
    const gif = await sharp({ create: { width: 9, height: 9, channels: 3, background: "red" } })
      .gif()
      .toBuffer();
    for (const bytes of [gif, Buffer.from("<svg/>"), face.subarray(0, 9_000)]) {
      const { status, body } = await anna.upload(bytes, PHOTO);
      assert.deepEqual([status, body], [415, { error: "unsupported_image" }]);
    }
    const large = await anna.upload(Buffer.alloc(2 * 1024 * 1024 + 1), PHOTO);
    assert.deepEqual([large.status, large.body], [413, { error: "image_too_large" }]);
    assert.equal(asked.length, 0);
  });

  await t.test(
    `a photo leaves no trace: not in logs, database, temporary folder or object store`,
    async () => {
      const temporary = temporaryHome(t);
      const before = process.env.TMPDIR;
      const sent: Buffer[] = [];
      answers((reply, { body }, count) => {
        sent.push(Buffer.from(body.messages[1].content[0].image_url.url.split(",")[1], "base64"));
        // Also when it fails, which is when things get logged.
        if (count === 1) says(reply, { face: true, options: GOOD });
        else reply.writeHead(500).end();
      });
      process.env.TMPDIR = temporary;
      t.after(() => {
        if (before === undefined) delete process.env.TMPDIR;
        else process.env.TMPDIR = before;
      });
      assert.equal((await anna.upload(face, PHOTO)).status, 200);
      assert.equal((await anna.upload(face, PHOTO)).status, 502);
      assert.deepEqual(readdirSync(temporary), []);
      const database = await databaseBytes(desk);
      assert.ok(database.includes(EMAIL), "it is looked where things are kept");
      const files = [...filesBelow(desk.home), ...filesBelow(desk.objectsFolder)].map((file) =>
        readFileSync(file),
      );
      const everything = Buffer.concat([...files, database, Buffer.from(desk.logLines.join(""))]);
      for (const photo of [face, ...sent]) {
        for (let at = 0; at + 48 < photo.length; at += 4_001) {
          const piece = photo.subarray(at, at + 48);
          for (const form of [piece, piece.toString("base64").slice(4, 40), piece.toString("hex")])
            assert.ok(!everything.includes(form));
        }
      }
    },
  );
});

test("an endpoint that is too slow is given up", async (t) => {
  const { url, answers } = await endpoint(t);
  const asked = answers(() => {});
  const vision = openAiVision({
    url: new URL(url),
    key: undefined,
    model: "m",
    known: avataaars,
    limitMs: 500,
  });
  await assert.rejects(vision.look({ jpeg: face }), { name: "TimeoutError" });
  assert.deepEqual([asked.length, asked[0]?.authorization], [2, undefined]);
});

test("the local model sees a face where there is one, without any network", async (t) => {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    return t.skip("a process without a network needs root on Linux");
  const program = fileURLToPath(new URL("./look-at-photos.ts", import.meta.url));
  const photos = [fileURLToPath(new URL("sample1.jpg", SAMPLES)), "blank"];
  // In a namespace of its own, where not even loopback is up.
  const words = ["--net", process.execPath, program, ...photos];
  const { stdout } = await promisify(execFile)("unshare", words);
  const { network, sights } = JSON.parse(stdout);
  assert.equal(network, "ENETUNREACH");
  assert.deepEqual(
    sights.map((sight: { face: boolean }) => sight.face),
    [true, false],
  );
});

test("more photos than the local model may keep waiting are told to come back", async (t) => {
  const vision = localVision([]);
  t.after(() => vision.close());
  const photos = createPhotos({
    vision,
    reader: { read: async () => ({ jpeg: Buffer.from("no picture") }) },
    catalogue: createStyleCatalogue(),
    onFailure: () => {},
  });
  const codes = await Promise.all(
    Array.from({ length: 20 }, () => photos.suggest(Buffer.of()).catch((error: DomainError) => error.code)),
  );
  assert.deepEqual(
    codes,
    Array.from({ length: 20 }, (_, n) => (n < 16 ? "suggestion_failed" : "overloaded")),
  );
});

test("where nobody looks at photos it is 503", async (t) => {
  const desk = await anyHome(t);
  const anna = await desk.person(EMAIL);
  const { status, body } = await anna.upload(face, PHOTO);
  assert.deepEqual([status, body], [503, { error: "vision_not_configured" }]);
  assert.equal((await anna.get("/config")).body.vision, false);
});

test("the local model suggests a design that can be saved", async (t) => {
  const desk = await anyHome(t, { AVATAR_VISION_URL: "local" });
  const anna = await desk.person(EMAIL);
  const { status, body } = await anna.upload(await smiling(), PHOTO);
  assert.equal(status, 200, JSON.stringify(body));
  const { mouthVariant, topProbability, facialHairProbability, topVariant } = body.options;
  assert.deepEqual(
    [mouthVariant, topVariant, topProbability, facialHairProbability],
    ["smile", "straight02", 100, 0],
  );
  const saved = await anna.post("/me/avatar", { collection: body.style, options: body.options });
  assert.equal(saved.status, 200);
});
