import { request } from "undici";

const LIMIT_MS = 5_000;
const MAX_BYTES = 512 * 1024;
const PICTURE = /^image\/(png|jpeg|webp|gif|avif|svg\+xml)$/;

/** A face from the avatar service, for those who must not learn its address; undefined where there is none to be had. */
export async function fetchFace(
  avatarUrl: string,
): Promise<{ readonly type: string; readonly bytes: Uint8Array } | undefined> {
  try {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const reply = await request(`${avatarUrl}?s=160`, { signal });
    // A body that is not read to its end says so, also to nobody: that would end the process.
    reply.body.on("error", () => {});
    const type = String(reply.headers["content-type"] ?? "").split(";")[0] ?? "";
    const length = Number(reply.headers["content-length"] ?? 0);
    if (reply.statusCode !== 200 || !PICTURE.test(type) || length > MAX_BYTES) {
      reply.body.destroy();
      return undefined;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of reply.body) {
      size += chunk.length;
      if (size > MAX_BYTES) return undefined;
      chunks.push(chunk);
    }
    return { type, bytes: Buffer.concat(chunks) };
  } catch {
    return undefined;
  }
}
