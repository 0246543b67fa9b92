import { Type } from "typebox";
import { AVATAR_STYLES, DEFAULT_STYLE } from "../domain/avatar-style.ts";
import { DEFAULT_SIZE, MAX_SIZE, MIN_SIZE } from "../domain/picture.ts";

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

export const HashParams = Type.Object({
  hash: Type.String({
    description:
      "SHA-256 of the lower-cased, trimmed e-mail address: 64 hexadecimal characters, in either case.",
    examples: ["b4c9a289323b21a01c3e940f150eb9b8c542587f1abfd8f0e1cc1ffc5e475514"],
  }),
});

export const ReadQuery = Type.Object({
  s: Type.Optional(
    Type.Integer({
      minimum: MIN_SIZE,
      maximum: MAX_SIZE,
      default: DEFAULT_SIZE,
      description: "Width and height in pixels. What is out of range is clamped. Alias: `size`.",
    }),
  ),
  d: Type.Optional(
    Type.String({
      default: DEFAULT_STYLE,
      description: `What to show when nothing is saved: ${AVATAR_STYLES.join(", ")}, \`blank\`, \`404\`, or a URL to redirect to. Alias: \`default\`.`,
    }),
  ),
  f: Type.Optional(
    Type.Literal("y", {
      description: "Show the generated image even if an avatar is saved. Alias: `forcedefault`.",
    }),
  ),
  fmt: Type.Optional(
    Type.Union([Type.Literal("png"), Type.Literal("svg")], {
      default: "png",
      description: "`svg` is for generated images; a saved avatar is always sent as it was saved.",
    }),
  ),
  v: Type.Optional(
    Type.String({ description: "Any text; an answer to a request that carries it may be cached for ever." }),
  ),
});

export const Metadata = Type.Object(
  {
    hash: Type.String(),
    has_avatar: Type.Boolean(),
    kind: nullable(Type.Union([Type.Literal("designed"), Type.Literal("uploaded")]), "How it was made."),
    version: Type.Integer({
      description: "Grows with every save and never shrinks; 0 if there never was one.",
    }),
    updated_at: nullable(Type.String({ format: "date-time" }), "When it was saved."),
  },
  { $id: "AvatarMetadata", additionalProperties: false },
);
