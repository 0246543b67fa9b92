import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { after, test } from "node:test";
import type { IdentityHash } from "@frontdesk/signin/identity-hash";
import { repetitions } from "@frontdesk/testkit/breadth";
import sharp from "sharp";
import { AVATAR_STYLES } from "../src/domain/avatar-style.ts";
import { lettersOf } from "../src/render/letters.ts";
import { createRenderPool } from "../src/render/render-pool.ts";
import { mediaFixture } from "./media-fixture.ts";

const HASHES = repetitions(1_000, 10_000);
const AT_ONCE = 16;

const pool = createRenderPool((error) => assert.fail(error));
after(() => pool.close());

test(`of ${HASHES} random hashes none is blank in any style, and no two styles are equal`, async (t) => {
  const { app } = await mediaFixture(t, { faces: pool });
  const seed = randomBytes(16).toString("hex");
  let next = 0;
  const readUntilDone = async () => {
    for (let i = next++; i < HASHES; i = next++) {
      const hash = createHash("sha256").update(`${seed} ${i}`).digest("hex");
      const images = new Set<string>();
      for (const style of AVATAR_STYLES) {
        const reply = await app.inject(`/${hash}?d=${style}&s=16`);
        assert.equal(reply.statusCode, 200);
        const pixels = await sharp(reply.rawPayload).ensureAlpha().raw().toBuffer();
        assert.ok(colours(pixels) > 1, `${style} of ${hash} is blank`);
        images.add(pixels.toString("base64"));
      }
      assert.equal(images.size, AVATAR_STYLES.length, `two styles of ${hash} are equal`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readUntilDone));
});

test("initials are spread evenly over all pairs of letters", () => {
  const counts = new Map<string, number>();
  const samples = 676 * 200;
  for (let i = 0; i < samples; i++) {
    const letters = lettersOf(createHash("sha256").update(`evenly ${i}`).digest("hex") as IdentityHash);
    assert.match(letters, /^[A-Z]{2}$/);
    counts.set(letters, (counts.get(letters) ?? 0) + 1);
  }
  assert.equal(counts.size, 676);
  // Pearson's statistic over 675 degrees of freedom: beyond 850 chance alone would not go in a million tries.
  const statistic = [...counts.values()].reduce((sum, count) => sum + (count - 200) ** 2 / 200, 0);
  assert.ok(statistic < 850, `chi-squared is ${statistic}`);
});

function colours(pixels: Buffer): number {
  const seen = new Set<number>();
  for (let at = 0; at < pixels.length; at += 4) seen.add(pixels.readUInt32BE(at));
  return seen.size;
}
