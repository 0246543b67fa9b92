import assert from "node:assert/strict";
import { test } from "node:test";
import { repetitions } from "@frontdesk/testkit/breadth";
import fc from "fast-check";
import { AVATAR_STYLES, type AvatarStyle } from "../src/domain/avatar-style.ts";
import { type DesignOptions, parseOptions, type StyleOption } from "../src/domain/design.ts";
import type { Face } from "../src/domain/read-avatar.ts";
import { drawDesignPng, isOfASeed } from "../src/render/draw-design-png.ts";
import { drawPng } from "../src/render/draw-png.ts";
import { bareDesignSvg } from "../src/render/render-design.ts";
import { renderFace } from "../src/render/render-face.ts";
import { createStyleCatalogue } from "../src/render/style-catalogue.ts";
import { styleBooks } from "../src/render/styles.ts";
import { pngSize } from "./media-fixture.ts";

const catalogue = createStyleCatalogue();

function draw(style: AvatarStyle, seed: string, options: DesignOptions, size = 16): Buffer {
  const face: Face = { kind: "design", design: { style, seed, options }, size, format: "png" };
  return Buffer.from(renderFace(face).bytes);
}

const isMoving = ({ kind }: StyleOption) => kind === "number";

/** The ends of every option that moves the drawing, in all their combinations. */
const CORNERS = [0.1, 3].flatMap((scale) =>
  [-100, 100].flatMap((translateX) =>
    [-100, 0, 100].flatMap((translateY) =>
      [0, 45, 180].map((rotate) => ({ scale, translateX, translateY, rotate })),
    ),
  ),
);

for (const style of AVATAR_STYLES) {
  const known = catalogue.optionsOf(style);

  test(`${style}: whatever options the style takes, the design is drawn`, () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 20 }), anyOptions(known), (seed, options) => {
        parseOptions(known, options);
        assert.deepEqual(pngSize(draw(style, seed, options)), [16, 16]);
      }),
      { numRuns: 300, seed: 20_261_115 },
    );
  });

  test(`${style}: every part is drawn at the ends of every option that moves it`, () => {
    const parts = known.filter(({ name }) => name.endsWith("Variant"));
    const chosen = parts.flatMap(({ name, values = [] }) =>
      values.map((value) => ({ [name]: value, ...shown(known, name) })),
    );
    for (const [i, part] of [{}, ...chosen].entries()) {
      const corners = i === 0 ? CORNERS : CORNERS.filter((_, corner) => corner % 9 === i % 9);
      for (const corner of corners) draw(style, "anna", { ...part, ...corner });
    }
  });

  test(`${style}: no part aborts the native rasteriser when nobody chose anything`, () => {
    // Tried where a panic is an exception: the two builds differ in that alone.
    const { defaults } = styleBooks[style];
    const chosen = known.flatMap(({ name, values = [] }) =>
      name.endsWith("Variant") ? values.map((value) => ({ [name]: value, ...shown(known, name) })) : [],
    );
    for (const part of [{}, ...chosen]) {
      const svg = bareDesignSvg({ style, seed: "anna", options: { ...defaults, ...part } as DesignOptions });
      drawDesignPng(svg, 16, {});
    }
  });

  test(`${style}: no choice of parts and colours aborts the native rasteriser, which draws it`, () => {
    const choosing = known.filter(({ name }) => isOfASeed({ [name]: 0 }));
    const fields = Object.fromEntries(choosing.map((option) => [option.name, anyValue(option)]));
    const options = fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<DesignOptions>;
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), options, (seed, chosen) => {
        drawDesignPng(bareDesignSvg({ style, seed, options: chosen }), 16, {});
      }),
      { numRuns: repetitions(150, 3_000), seed: 20_261_116 },
    );
    assert.ok(!known.some((option) => isMoving(option) && isOfASeed({ [option.name]: 0 })));
  });

  test(`${style}: a design comes out as the native rasteriser draws it`, () => {
    for (const [i, size] of [16, 48, 80, 256].entries()) {
      for (const options of [{}, { scale: 1.2 }, { rotate: 30, translateX: 10 }] as DesignOptions[]) {
        const svg = bareDesignSvg({ style, seed: `person ${i}`, options });
        assert.ok(Buffer.from(drawDesignPng(svg, size, options)).equals(drawPng(svg, size)), `at ${size}`);
      }
    }
  });
}

test("the seeds and scales that once ended the process are drawn", () => {
  assert.deepEqual(pngSize(draw("personas", "bert", { scale: 3 }, 512)), [512, 512]);
  assert.deepEqual(pngSize(draw("personas", "bert", { scale: 2.75 })), [16, 16]);
  assert.deepEqual(pngSize(draw("bottts", "bert", { scale: 3 })), [16, 16]);
});

function shown(known: readonly StyleOption[], variant: string): DesignOptions {
  const probability = variant.replace(/Variant$/, "Probability");
  return known.some(({ name }) => name === probability) ? { [probability]: 100 } : {};
}

function anyOptions(known: readonly StyleOption[]): fc.Arbitrary<DesignOptions> {
  const fields = Object.fromEntries(known.map((option) => [option.name, anyValue(option)]));
  const moving = known.filter(isMoving).map(({ name }) => name);
  // What moves the drawing is always chosen; the rest may be.
  return fc.record(fields, { requiredKeys: moving }) as fc.Arbitrary<DesignOptions>;
}

function anyValue(option: StyleOption): fc.Arbitrary<unknown> {
  const { kind, values = [], min = 0, max = 0, multiple } = option;
  const one: fc.Arbitrary<unknown> =
    kind === "choice"
      ? fc.constantFrom(...values)
      : kind === "color"
        ? fc.stringMatching(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/)
        : kind === "boolean"
          ? fc.boolean()
          : fc.oneof(fc.constantFrom(min, max), fc.double({ min, max, noNaN: true }));
  return multiple ? fc.oneof(one, fc.array(one, { minLength: 1, maxLength: 3 })) : one;
}
