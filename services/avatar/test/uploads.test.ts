import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import { uploadReader } from "../src/adapters/uploads.ts";
import { STORED_SIZES } from "../src/domain/saved-avatar.ts";
import { anyHome, hashOf } from "./avatar-under-test.ts";
import { pngSize } from "./media-fixture.ts";

const ANNA = hashOf("anna@example.org");
const GREEN = Buffer.from([0, 255, 0]);
const MOST = 2 * 1024 * 1024;

const plain = (width: number, height: number, background = "teal") =>
  sharp({ create: { width, height, channels: 3, background } });

/** A GIF of one white pixel, as many times over as asked for. */
function gifOf(frames: number, width = 1, height = 1): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  const head = [Buffer.from("GIF89a"), size, Buffer.from([0x80, 0, 0, 255, 255, 255, 0, 0, 0])];
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]);
  return Buffer.concat([...head, ...Array.from({ length: frames }, () => frame), Buffer.from([0x3b])]);
}

/** A PNG whose header promises more pixels than anybody should unpack. */
function pngBomb(width: number, height: number, kind = [1, 0, 0, 0, 0]): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const framed = Buffer.alloc(body.length + 8);
    framed.writeUInt32BE(data.length, 0);
    body.copy(framed, 4);
    framed.writeUInt32BE(crc32(body), body.length + 4);
    return framed;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set(kind, 8);
  const row = Math.ceil(width / 8) + 1;
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.alloc(Math.min(row * height, 64 * 1024 * 1024)), { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const STILLS: Record<string, () => Promise<Buffer>> = {
  "a JPEG with bytes that belong to nothing": () => sloppyJpeg(),
  PNG: () => plain(90, 60).png().toBuffer(),
  JPEG: () => plain(90, 60).jpeg().toBuffer(),
  WebP: () => plain(90, 60).webp().toBuffer(),
  "PNG in grey with a palette": () =>
    plain(64, 64, "grey").toColourspace("b-w").png({ palette: true }).toBuffer(),
  "JPEG in CMYK": () => plain(64, 64).toColourspace("cmyk").jpeg().toBuffer(),
  "a picture of one pixel": () => plain(1, 1).png().toBuffer(),
};
const REFUSED: Array<[name: string, status: number, make: () => Promise<Buffer> | Buffer]> = [
  ["an SVG", 415, () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
  ["a TIFF", 415, () => plain(9, 9).tiff().toBuffer()],
  ["an AVIF", 415, () => plain(16, 16).avif().toBuffer()],
  ["HTML", 415, () => Buffer.from("<!doctype html><script>alert(1)</script>")],
  [
    "HTML behind the header of a PNG",
    415,
    () => Buffer.from("\x89PNG\r\n\x1a\n<html><script>1</script>", "latin1"),
  ],
  [
    "HTML behind the header of a GIF",
    415,
    () => Buffer.from("GIF89a<html><script>1</script></html>", "latin1"),
  ],
  ["HTML behind the header of a JPEG", 415, () => Buffer.from("\xff\xd8\xff\xe0<html></html>", "latin1")],
  ["a truncated PNG", 415, async () => (await plain(300, 300).png().toBuffer()).subarray(0, -40)],
  ["a truncated JPEG", 415, async () => half(await noise().jpeg().toBuffer())],
  ["a truncated WebP", 415, async () => half(await noise().webp().toBuffer())],
  ["a truncated GIF", 415, async () => half(await noise().gif().toBuffer())],
  ["a GIF without its end", 415, () => gifOf(2).subarray(0, -1)],
  ["a GIF without a frame", 415, () => gifOf(0)],
  ["an empty file", 415, () => Buffer.alloc(0)],
  ["noise", 415, () => Buffer.from(Array.from({ length: 999 }, (_, i) => (i * 7919) % 251))],
  ["a PNG of 30,000 by 30,000 pixels", 413, () => pngBomb(30_000, 30_000)],
  ["a PNG of 2 billion pixels in a row", 415, () => pngBomb(2_000_000_000, 1)],
  [
    "an interlaced PNG of 6,000 by 6,000 pixels of eight bytes",
    413,
    () => pngBomb(6_000, 6_000, [16, 6, 0, 0, 1]),
  ],
  [
    "a progressive JPEG of 30 million pixels",
    413,
    () => plain(6_000, 5_000).jpeg({ progressive: true }).toBuffer(),
  ],
  ["a PNG of 20,000 by 9 pixels", 413, () => pngBomb(20_000, 9)],
  ["a GIF with 10,000 frames", 413, () => gifOf(10_000)],
  ["a GIF with few frames on an enormous canvas", 413, () => gifOf(20, 65_000, 65_000)],
];
/** As phones write them: with a few bytes between the picture and its end that belong to nothing. */
async function sloppyJpeg(): Promise<Buffer> {
  const jpeg = await noise().jpeg().toBuffer();
  return Buffer.concat([jpeg.subarray(0, -2), Buffer.from([0, 0, 1]), jpeg.subarray(-2)]);
}
const half = (bytes: Buffer) => bytes.subarray(0, bytes.length / 2);
const noise = () => {
  const data = Buffer.from(Array.from({ length: 120 * 120 * 3 }, (_, i) => (i * 7919 + i * i) % 256));
  return sharp(data, { raw: { width: 120, height: 120, channels: 3 } });
};

test("uploads", async (t) => {
  const desk = await anyHome(t);
  const anna = await desk.person("anna@example.org");
  for (const [name, make] of Object.entries(STILLS)) {
    await t.test(`an uploaded still is kept as PNG in every size: ${name}`, async () => {
      const { status, body } = await anna.upload(await make());
      assert.deepEqual([status, body.kind], [200, "uploaded"]);
      for (const size of STORED_SIZES) {
        const image = await desk.image(ANNA, `?s=${size}`);
        assert.deepEqual(pngSize(image), [size, size]);
        assert.equal((await sharp(image).metadata()).space, "srgb");
      }
    });
  }

  await t.test(`a still is cropped to its middle and turned as the camera says`, async () => {
    const bands = await sharp({ create: { width: 300, height: 100, channels: 3, background: "red" } })
      .composite([{ input: await plain(100, 100, "lime").png().toBuffer(), left: 100, top: 0 }])
      .png()
      .toBuffer();
    await anna.upload(bands);
    const middle = await sharp(await desk.image(ANNA, "?s=64"))
      .removeAlpha()
      .raw()
      .toBuffer();
    // Up to the last columns, where the kernel of the reduction reaches over the edge.
    const isGreen = (x: number, y: number) =>
      middle.subarray((y * 64 + x) * 3, (y * 64 + x) * 3 + 3).equals(GREEN);
    for (const x of [3, 20, 40, 60]) for (const y of [0, 32, 63]) assert.ok(isGreen(x, y), `${x}, ${y}`);

    const halves = sharp({
      create: { width: 100, height: 100, channels: 3, background: "blue" },
    }).composite([{ input: await plain(50, 100, "red").png().toBuffer(), left: 0, top: 0 }]);
    // Orientation 6: the camera was held so that the left edge is the top.
    await anna.upload(
      await sharp(await halves.png().toBuffer())
        .withMetadata({ orientation: 6 })
        .png()
        .toBuffer(),
    );
    const turned = await sharp(await desk.image(ANNA, "?s=64"))
      .removeAlpha()
      .raw()
      .toBuffer();
    assert.deepEqual([...turned.subarray(0, 3)], [255, 0, 0]);
    assert.deepEqual([...turned.subarray(-3)], [0, 0, 255]);
  });

  await t.test(`transparency stays, and everything else that a still carries is gone`, async () => {
    const secret = "taken at 48.8584 N 2.2945 E";
    const photo = await sharp({
      create: { width: 50, height: 50, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.5 } },
    })
      .withExif({ IFD0: { ImageDescription: secret, Copyright: secret } })
      .withIccProfile("p3")
      .png()
      .toBuffer();
    assert.ok(photo.includes(secret));
    await anna.upload(photo);
    for (const size of STORED_SIZES) {
      const image = await desk.image(ANNA, `?s=${size}`);
      const { exif, icc, xmp, iptc, hasAlpha } = await sharp(image).metadata();
      assert.deepEqual([exif, icc, xmp, iptc, hasAlpha], [undefined, undefined, undefined, undefined, true]);
      assert.ok(!image.includes(secret));
    }
  });

  await t.test(`a GIF is kept whole, and what stands behind its end is dropped`, async () => {
    const gif = gifOf(3);
    assert.equal(
      (await anna.upload(Buffer.concat([gif, Buffer.from("<script>alert(1)</script>")]))).status,
      200,
    );
    assert.deepEqual(await desk.image(ANNA), gif);
  });

  await t.test(`a picture of exactly 2 MB is taken, one byte more is 413`, async () => {
    const gif = gifOf(2);
    const padded = (size: number) => Buffer.concat([gif, Buffer.alloc(size - gif.length)]);
    assert.equal((await anna.upload(padded(MOST))).status, 200);
    const over = await anna.upload(padded(MOST + 1));
    assert.deepEqual([over.status, over.body], [413, { error: "image_too_large" }]);
  });

  for (const [name, status, make] of REFUSED) {
    await t.test(`${name} is refused with ${status}, and nothing changes`, async () => {
      await anna.upload(gifOf(1));
      const before = await desk.metadata(ANNA);
      const bytes = await make();
      assert.ok(bytes.length <= MOST, "it is refused for what it is, not for its length");
      for (const type of ["image/png", "image/gif", "application/octet-stream"]) {
        const reply = await anna.call("POST", "/me/avatar/upload", { form: { bytes, type } });
        const error = status === 413 ? "image_too_large" : "unsupported_image";
        assert.deepEqual([reply.status, reply.body], [status, { error }], type);
      }
      assert.deepEqual(await desk.metadata(ANNA), before);
      assert.deepEqual(await desk.image(ANNA), gifOf(1));
    });
  }

  await t.test(`a form without a picture, with a wrong field, or none at all is refused`, async () => {
    const wrong = await anna.call("POST", "/me/avatar/upload", {
      form: { field: "file", bytes: gifOf(1) },
    });
    assert.deepEqual([wrong.status, wrong.body], [400, { error: "image_missing" }]);
    const boundary = { "content-type": "multipart/form-data; boundary=x" };
    for (const text of [
      "--x--\r\n",
      "",
      '--x\r\nContent-Disposition: form-data; name="image"\r\n\r\ntext\r\n--x--\r\n',
      "--x\r\ngarbage",
    ]) {
      const reply = await anna.call("POST", "/me/avatar/upload", { text, headers: boundary });
      assert.deepEqual([reply.status, reply.body], [400, { error: "image_missing" }], JSON.stringify(text));
    }
    const json = await anna.post("/me/avatar/upload", { image: "x" });
    assert.deepEqual([json.status, json.body], [415, { error: "unsupported_image" }]);
    const raw = await anna.call("POST", "/me/avatar/upload", {
      text: "GIF89a",
      headers: { "content-type": "image/gif" },
    });
    assert.deepEqual([raw.status, raw.body], [415, { error: "unsupported_media_type" }]);
  });
});

test("a GIF is checked by decoding it, and nothing is computed of its pixels", async (t) => {
  // Fifteen times the work of decoding: 8.6 s for a GIF of 27 KB.
  const costly = ["stats", "sharpen", "blur", "median", "normalise"] as const;
  const calls = costly.map((name) => t.mock.method(sharp.prototype, name).mock);
  const { type } = await uploadReader.read(gifOf(1, 1_000, 400));
  assert.equal(type, "image/gif");
  assert.deepEqual(
    calls.map(({ calls }) => calls.length),
    costly.map(() => 0),
  );
});

test("a small still is cropped to its middle as it stands upright, whichever way the camera was held", async () => {
  const [width, height] = [9, 5];
  const pixels = Buffer.from(Array.from({ length: width * height * 3 }, (_, i) => (i * 37) % 256));
  const picture = () => sharp(pixels, { raw: { width, height, channels: 3 } });
  for (let orientation = 1; orientation <= 8; orientation++) {
    const held = await picture().withMetadata({ orientation }).png().toBuffer();
    const upright = await sharp(held).autoOrient().png().toBuffer();
    assert.deepEqual(await uploadReader.read(held), await uploadReader.read(upright), `${orientation}`);
  }
});

test("a single row of pixels costs no more than other pictures, also where it is turned", async () => {
  for (const orientation of [3, 6]) {
    const row = await plain(1, 1_000).withMetadata({ orientation }).jpeg().toBuffer();
    const before = process.cpuUsage();
    const { type } = await uploadReader.read(row);
    const { user, system } = process.cpuUsage(before);
    assert.equal(type, "image/png");
    // A tenth of a second, and more than twelve where the whole of it is made larger.
    assert.ok(user + system < 4_000_000, `${(user + system) / 1_000} ms for orientation ${orientation}`);
  }
});
