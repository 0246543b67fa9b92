import type { HttpServer } from "@frontdesk/kit/http-server";
import { errorReply } from "@frontdesk/kit/refusal";
import { callerOf } from "@frontdesk/signin/session-gate";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { AVATAR_STYLES } from "../domain/avatar-style.ts";
import { refuse } from "../domain/errors.ts";
import { takeTurn } from "../domain/limits.ts";
import type { ApiParts, GatedParts } from "./api-parts.ts";
import {
  AvatarHeaders,
  AvatarRemoved,
  AvatarReply,
  Config,
  DesignBody,
  DesignSaved,
  Styles,
  SuggestionReply,
  UploadSaved,
} from "./api-schemas.ts";
import { MAX_UPLOAD_BYTES, uploadedImage } from "./image-form.ts";

const tags = ["Avatar"];
const CHANGED = {
  412: errorReply("`avatar_changed`: it is another than the one in If-Match, or there is one"),
};
const DESIGN_ERRORS = {
  400: errorReply("`bad_collection`, `bad_seed`, `bad_options`, `bad_json`"),
  401: errorReply("`no_session`"),
};

/** The version that the caller has seen, null for none; undefined: whatever is there is replaced. */
function seenBy({ headers }: FastifyRequest): string | null | undefined {
  if (headers["if-none-match"] === "*") return null;
  return headers["if-match"]?.replace(/^"|"$/g, "");
}

/** What anybody may know before signing in. */
export function publicRoutes(
  app: HttpServer,
  { attributions, catalogue, mediaUrl, photos, mail }: ApiParts,
): void {
  const styles = AVATAR_STYLES.map((collection) => ({
    collection,
    title: attributions.of(collection).title,
    credits: attributions.line(collection),
    options: catalogue.optionsOf(collection),
  }));
  const config = {
    media_url: mediaUrl,
    vision: photos.configured,
    max_upload_bytes: MAX_UPLOAD_BYTES,
    mail,
  };
  app.get(
    "/config",
    { schema: { summary: "What the console needs to know", tags, security: [], response: { 200: Config } } },
    async () => config,
  );
  app.get(
    "/styles",
    {
      schema: { summary: "Every collection with its options", tags, security: [], response: { 200: Styles } },
    },
    async () => ({ styles }) as never,
  );
}

export function avatarRoutes(app: HttpServer, parts: GatedParts): void {
  const { accounts, avatars, limits, photos, stillSignedIn } = parts;
  const described = { validatorCompiler: () => () => true };
  const designOf = async (request: FastifyRequest) => {
    const account = await accounts.get(callerOf(request).accountId);
    const { body } = request;
    if (typeof body !== "object" || body === null || Array.isArray(body)) throw refuse("bad_options");
    return avatars.design(account, body);
  };

  app.get(
    "/me/avatar",
    {
      schema: {
        summary: "The saved avatar",
        tags,
        response: { 200: AvatarReply, 401: errorReply("`no_session`") },
      },
    },
    async (request) => {
      const { avatar, version } = await accounts.get(callerOf(request).accountId);
      if (!avatar) return { avatar: null };
      const { kind, collection, config, updatedAt } = avatar;
      const updated_at = new Date(updatedAt).toISOString();
      return { avatar: { kind, collection, config: config ?? {}, version, updated_at } };
    },
  );
  app.post(
    "/me/avatar",
    {
      schema: {
        summary: "Save a design",
        tags,
        headers: AvatarHeaders,
        body: DesignBody,
        response: {
          200: DesignSaved,
          ...DESIGN_ERRORS,
          409: errorReply("`no_verified_email`"),
          ...CHANGED,
          429: errorReply("`rate_limited`"),
          503: errorReply("`overloaded`: too many are being saved"),
        },
      },
      ...described,
    },
    async (request) => {
      const { accountId } = callerOf(request);
      const design = await designOf(request);
      await takeTurn(limits, "avatar_writes", accountId);
      const { kind, version, hashes } = await avatars.saveDesign(accountId, design, seenBy(request));
      return { ok: true, kind, collection: design.style, version, hashes: [...hashes] };
    },
  );
  app.post(
    "/me/avatar/preview",
    {
      schema: {
        summary: "Draw a design without saving it",
        tags,
        body: DesignBody,
        response: {
          200: { description: "The drawing", content: { "image/svg+xml": { schema: Type.String() } } },
          ...DESIGN_ERRORS,
          503: errorReply("`overloaded`: too many are being drawn"),
        },
      },
      ...described,
    },
    async (request, reply) => {
      const { type, bytes } = await avatars.preview(await designOf(request));
      return reply
        .header("cache-control", "no-store")
        .header("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
        .type(type)
        .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    },
  );
  app.delete(
    "/me/avatar",
    {
      schema: {
        summary: "Go back to the generated avatar",
        tags,
        headers: AvatarHeaders,
        response: {
          200: AvatarRemoved,
          401: errorReply("`no_session`"),
          ...CHANGED,
          429: errorReply("`rate_limited`"),
        },
      },
    },
    async (request) => {
      const { accountId } = callerOf(request);
      await takeTurn(limits, "avatar_writes", accountId);
      const { deleted, hashes } = await avatars.remove(accountId, seenBy(request));
      return { ok: true, deleted, hashes: [...hashes] };
    },
  );
  app.post(
    "/me/avatar/upload",
    {
      schema: {
        summary: "Save a picture",
        description: "Stills are cropped to their middle and kept as PNG; GIFs are kept as they are.",
        tags,
        consumes: ["multipart/form-data"],
        headers: AvatarHeaders,
        response: {
          200: UploadSaved,
          400: errorReply("`image_missing`"),
          401: errorReply("`no_session`"),
          409: errorReply("`no_verified_email`"),
          ...CHANGED,
          413: errorReply("`image_too_large`: over 2 MB, or too many pixels or frames"),
          415: errorReply("`unsupported_image`: not a whole PNG, JPEG, WebP or GIF"),
          429: errorReply("`rate_limited`"),
          503: errorReply("`overloaded`: too many are being saved"),
        },
      },
    },
    async (request) => {
      const { accountId } = callerOf(request);
      await takeTurn(limits, "avatar_writes", accountId);
      const image = await uploadedImage(request);
      await stillSignedIn(request);
      const { kind, version, hashes } = await avatars.saveUpload(accountId, image, seenBy(request));
      return { ok: true, kind, version, hashes: [...hashes] };
    },
  );
  app.post(
    "/me/avatar/from-photo",
    {
      schema: {
        summary: "Suggest a design from a photo; nothing is saved",
        description: "The photo is looked at and forgotten: it is never stored and never logged.",
        tags,
        consumes: ["multipart/form-data"],
        response: {
          200: SuggestionReply,
          400: errorReply("`image_missing`"),
          401: errorReply("`no_session`"),
          413: errorReply("`image_too_large`"),
          415: errorReply("`unsupported_image`: not a whole PNG, JPEG or WebP"),
          422: errorReply("`no_face`"),
          429: errorReply("`rate_limited`"),
          502: errorReply("`suggestion_failed`"),
          503: errorReply("`vision_not_configured` or `overloaded`"),
        },
      },
    },
    async (request) => {
      photos.mustBeConfigured();
      await takeTurn(limits, "photos", callerOf(request).accountId);
      const { style, options } = await photos.suggest(await uploadedImage(request));
      return { style, options };
    },
  );
}
