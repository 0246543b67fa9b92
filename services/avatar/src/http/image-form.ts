import multipart from "@fastify/multipart";
import type { HttpServer } from "@frontdesk/kit/http-server";
import type { FastifyRequest } from "fastify";
import { refuse } from "../domain/errors.ts";

export const MAX_UPLOAD_BYTES = 2 * 1024 * 1024;

const TOO_LARGE = new Set(["FST_REQ_FILE_TOO_LARGE", "FST_ERR_CTP_BODY_TOO_LARGE"]);

/** Lets routes take forms with one picture; nothing of it touches the disk. */
export async function takeImageForms(app: HttpServer): Promise<void> {
  await app.register(multipart, {
    limits: { fileSize: MAX_UPLOAD_BYTES, files: 1, fields: 8, fieldSize: 1_024, parts: 9, headerPairs: 32 },
  });
}

/** The bytes of the form's field `image`. */
export async function uploadedImage(request: FastifyRequest): Promise<Uint8Array> {
  if (!request.isMultipart()) throw refuse("unsupported_image");
  try {
    const file = await request.file();
    if (file?.fieldname !== "image") throw refuse("image_missing");
    return await file.toBuffer();
  } catch (error) {
    const {
      code = "",
      statusCode = 500,
      name,
    } = error as { code?: string; statusCode?: number; name: string };
    if (TOO_LARGE.has(code)) throw refuse("image_too_large");
    // A form that ends too early, or is none: the parser has many words for it.
    if (
      name !== "DomainError" &&
      (statusCode < 500 || /multipart|form|boundary/i.test((error as Error).message))
    )
      throw refuse("image_missing");
    throw error;
  }
}
