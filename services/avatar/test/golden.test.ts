import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { Avatar } from "@dicebear/core";
import type { IdentityHash } from "@frontdesk/signin/identity-hash";
import { AVATAR_STYLES } from "../src/domain/avatar-style.ts";
import { attributionLine } from "../src/render/attribution.ts";
import { drawDesignPng } from "../src/render/draw-design-png.ts";
import { drawPng } from "../src/render/draw-png.ts";
import { drawBareSvg, drawSvg } from "../src/render/draw-svg.ts";
import { renderFace } from "../src/render/render-face.ts";
import { styleBooks } from "../src/render/styles.ts";
import { hashOf } from "./media-fixture.ts";

const PEOPLE = ["anna", "bert"].map((name) => [name, hashOf(`${name}@example.org`) as IdentityHash] as const);

/** The bytes as they were when someone last looked at them. GOLDEN=write keeps today's. */
function matchesGolden(name: string, bytes: Uint8Array): void {
  const file = new URL(`golden/${name}`, import.meta.url);
  if (process.env.GOLDEN === "write") writeFileSync(file, bytes);
  assert.ok(existsSync(file), `${name} is missing: look at the image, then keep it with GOLDEN=write`);
  assert.ok(readFileSync(file).equals(bytes), `${name} changed`);
}

for (const style of AVATAR_STYLES) {
  for (const [name, hash] of PEOPLE) {
    test(`${style} of ${name} is drawn byte for byte as it always was`, () => {
      const face = { kind: "style", style, hash } as const;
      matchesGolden(`${style}-${name}.svg`, renderFace({ ...face, size: 80, format: "svg" }).bytes);
      for (const size of [80, 512]) {
        matchesGolden(`${style}-${name}-${size}.png`, renderFace({ ...face, size, format: "png" }).bytes);
      }
    });
  }

  test(`${style} comes out the same from this machine's rasteriser and from the portable one`, () => {
    for (let i = 0; i < 25; i++) {
      const svg = drawBareSvg(style, hashOf(`person ${i}`) as IdentityHash);
      const size = [16, 80, 131, 256][i % 4] as number;
      const portable = Buffer.from(drawDesignPng(svg, size, {}));
      assert.ok(portable.equals(drawPng(svg, size)), `person ${i} at ${size}`);
    }
  });

  test(`${style} carries its attribution in the PNG and in the SVG`, () => {
    const face = {
      kind: "style",
      style,
      hash: hashOf("anna@example.org") as IdentityHash,
      size: 16,
    } as const;
    const png = Buffer.from(renderFace({ ...face, format: "png" }).bytes);
    const chunks = pngChunks(png);
    assert.deepEqual(chunks.map(({ type }) => type).slice(0, 2), ["IHDR", "tEXt"]);
    assert.equal(chunks[1]?.data.toString("latin1"), `Copyright\0${attributionLine(style)}`);
    const svg = Buffer.from(renderFace({ ...face, format: "svg" }).bytes).toString();
    assert.match(svg, /<dcterms:license[^>]*>https?:\/\//);
  });
}

for (const style of AVATAR_STYLES.filter((name) => name !== "initials")) {
  test(`${style} is drawn exactly as DiceBear itself draws it`, () => {
    const { style: book, defaults } = styleBooks[style];
    for (let i = 0; i < 2_000; i++) {
      const hash = hashOf(`face ${i}`) as IdentityHash;
      const theirs = new Avatar(book, { ...defaults, seed: hash }).toString();
      assert.equal(drawSvg(style, hash, 80), theirs.replace("<svg ", '<svg width="80" height="80" '));
    }
  });
}

test("attribution names the work, its author and its licence", () => {
  assert.equal(
    attributionLine("personas"),
    'Remix of "Personas by Draftbit" (https://personas.draftbit.com/) by Draftbit - draftbit.com, CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)',
  );
});

function pngChunks(png: Buffer): Array<{ type: string; data: Buffer }> {
  const chunks = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({
      type: png.toString("latin1", at + 4, at + 8),
      data: png.subarray(at + 8, at + 8 + length),
    });
    at += 12 + length;
  }
  return chunks;
}
