export type ImageType = "png" | "jpeg" | "webp" | "gif";

const starts = (bytes: Uint8Array, at: number, text: string) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1", at, at + text.length) ===
  text;

/** What a file says of itself in its first bytes. */
export function sniffImage(bytes: Uint8Array): ImageType | undefined {
  if (starts(bytes, 0, "\x89PNG\r\n\x1a\n")) return "png";
  if (starts(bytes, 0, "\xff\xd8\xff")) return "jpeg";
  if (starts(bytes, 0, "RIFF") && starts(bytes, 8, "WEBP")) return "webp";
  if (starts(bytes, 0, "GIF87a") || starts(bytes, 0, "GIF89a")) return "gif";
  return undefined;
}
