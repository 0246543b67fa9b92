import type { Pixels, SeenFace } from "./face-model.ts";

type Colour = readonly [red: number, green: number, blue: number];
type Point = { readonly x: number; readonly y: number };

/** What a face does, as the style draws it. */
const MIEN: Readonly<Record<string, { eyes: string; mouth: string; brows: string }>> = {
  neutral: { eyes: "default", mouth: "default", brows: "default" },
  happy: { eyes: "happy", mouth: "smile", brows: "default" },
  sad: { eyes: "default", mouth: "sad", brows: "sadConcerned" },
  angry: { eyes: "squint", mouth: "serious", brows: "angry" },
  fearful: { eyes: "surprised", mouth: "concerned", brows: "raisedExcited" },
  disgusted: { eyes: "squint", mouth: "grimace", brows: "upDown" },
  surprised: { eyes: "surprised", mouth: "screamOpen", brows: "raisedExcited" },
};

/** How far, in a colour space of 0 to 255, a patch may be from skin and still be skin. */
const LIKE_SKIN = 42;
const LIKE_HAIR = 60;
/** How bright a beard is at most, beside the skin above it. */
const DARK_AS_BEARD = 0.62;

/**
 * What the points and the colours around them tell: skin on the cheeks, hair above the brow and beside
 * the jaw, a beard on the chin. Nothing is told of who somebody is; what cannot be seen is left to the
 * seed.
 */
export function faceOptions(
  pixels: Pixels,
  { box, points, expression }: SeenFace,
  palette: { readonly skin: readonly string[]; readonly hair: readonly string[] },
): Record<string, string | number> {
  const at = (index: number) => points[index] as Point;
  const patch = (where: Point, reach = 0.04) => median(pixels, where, Math.max(1, box.width * reach));
  const between = (one: Point, other: Point, share = 0.5): Point => ({
    x: one.x + (other.x - one.x) * share,
    y: one.y + (other.y - one.y) * share,
  });

  const skin = median3(patch(between(at(2), at(31))), patch(between(at(14), at(35))), patch(at(29)));
  const brow = between(at(19), at(24));
  const upwards = { x: brow.x - at(8).x, y: brow.y - at(8).y };
  const above = (share: number): Point => ({ x: brow.x + upwards.x * share, y: brow.y + upwards.y * share });
  const over = [0.3, 0.38, 0.46, 0.54].map((share) => patch(above(share)));
  // The darkest of what is not skin: the lightest is often the wall behind.
  const [crown] = over
    .filter((each) => distance(each, skin) > LIKE_SKIN)
    .sort((one, other) => brightness(one) - brightness(other));
  const beside = [3, 4, 5].flatMap((point) =>
    [0.1, 0.18, 0.26].flatMap((share) => [
      patch({ x: at(point).x - box.width * share, y: at(point).y }),
      patch({ x: at(16 - point).x + box.width * share, y: at(point).y }),
    ]),
  );
  const isLong =
    crown !== undefined && beside.filter((each) => distance(each, crown) < LIKE_HAIR).length >= 4;
  // A shadow is on the chin alone; a beard is on both sides of the mouth as well.
  const around = [between(at(57), at(8), 0.6), between(at(48), at(4)), between(at(54), at(12))];
  const isBearded = around.every((where) => brightness(patch(where)) < DARK_AS_BEARD * brightness(skin));

  const mien = MIEN[expression] ?? (MIEN.neutral as NonNullable<(typeof MIEN)[string]>);
  const hair = crown && nearest(crown, palette.hair);
  return {
    skinColor: nearest(skin, palette.skin),
    eyesVariant: mien.eyes,
    mouthVariant: mien.mouth,
    eyebrowsVariant: mien.brows,
    topProbability: crown ? 100 : 0,
    topVariant: isLong ? "straight02" : "shortFlat",
    ...(hair ? { hairColor: hair } : {}),
    facialHairProbability: isBearded ? 100 : 0,
    ...(isBearded && hair ? { facialHairVariant: "beardMedium", facialHairColor: hair } : {}),
  };
}

function median({ data, width, height }: Pixels, centre: Point, reach: number): Colour {
  const channels: [number[], number[], number[]] = [[], [], []];
  const clamp = (value: number, most: number) => Math.min(most - 1, Math.max(0, Math.round(value)));
  for (let y = clamp(centre.y - reach, height); y <= clamp(centre.y + reach, height); y++) {
    for (let x = clamp(centre.x - reach, width); x <= clamp(centre.x + reach, width); x++) {
      for (const [i, channel] of channels.entries()) channel.push(data[(y * width + x) * 3 + i] as number);
    }
  }
  return channels.map(middle) as unknown as Colour;
}

const middle = (values: number[]) => values.sort((one, other) => one - other)[values.length >> 1] as number;

const median3 = (...colours: Colour[]): Colour =>
  [0, 1, 2].map((i) => middle(colours.map((colour) => colour[i] as number))) as unknown as Colour;

const brightness = ([red, green, blue]: Colour) => 0.3 * red + 0.59 * green + 0.11 * blue;

const distance = (one: Colour, other: Colour) =>
  Math.hypot(...one.map((value, i) => value - (other[i] as number)));

function nearest(colour: Colour, palette: readonly string[]): string {
  const far = (text: string) => distance(colour, rgb(text));
  return [...palette].sort((one, other) => far(one) - far(other))[0] as string;
}

function rgb(text: string): Colour {
  const number = Number.parseInt(text.replace("#", "").slice(0, 6), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}
