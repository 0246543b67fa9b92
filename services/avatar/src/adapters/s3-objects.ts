import { setTimeout as pause } from "node:timers/promises";
import { S3mini, S3NetworkError, S3ServiceError } from "s3mini";
import { CONTENT_ADDRESS, type Objects, storeAway } from "../domain/objects.ts";

const REQUEST_LIMIT_MS = 10_000;
const MAX_TRIES = 4;
/** After so long no further try begins: who asked has waited enough. */
const MAX_TRYING_MS = 10_000;
const FIRST_PAUSE_MS = 100;

/**
 * Objects in any store that speaks S3. The URL names it whole:
 * `s3+https://KEY:SECRET@host/bucket?region=…` (or `s3+http://` inside a trusted network).
 */
export function s3Objects(url: URL): Objects {
  const endpoint = new URL(`${url.protocol.replace("s3+", "")}//${url.host}${url.pathname}`);
  const bucket = new S3mini({
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
    endpoint: endpoint.href.replace(/\/$/, ""),
    region: url.searchParams.get("region") ?? "auto",
    requestAbortTimeout: REQUEST_LIMIT_MS,
  });
  const checked = (address: string) => {
    if (!CONTENT_ADDRESS.test(address)) throw new TypeError("not a content address");
    return address;
  };
  return {
    get: async (address) => {
      const key = checked(address);
      const bytes = await withRetries(() => bucket.getObjectArrayBuffer(key)).catch(refusedForGood);
      return bytes ? new Uint8Array(bytes) : undefined;
    },
    put: async (address, bytes, type) => {
      const key = checked(address);
      await withRetries(() => bucket.putObject(key, bytes, type));
    },
    delete: async (address) => {
      const key = checked(address);
      // Some stores answer 404 for what is gone already; the reply to an earlier try may have been lost.
      await withRetries(() => bucket.deleteObject(key).catch(ignoreMissing));
    },
    // A write to S3 is there whole or not at all.
    removeLeftovers: async () => {},
    ping: async () => {
      if (!(await bucket.bucketExists()))
        throw new Error(`the bucket at ${url.host}${url.pathname} is not there`);
    },
  };
}

/** A store that is busy, restarting or not to be reached for a moment is asked again, ever later. */
async function withRetries<T>(request: () => Promise<T>): Promise<T> {
  const from = performance.now();
  for (let tries = 1; ; tries++) {
    try {
      return await request();
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (tries === MAX_TRIES || performance.now() - from > MAX_TRYING_MS) throw storeAway(error);
    }
    // Spread, so that those who were refused together do not come back together.
    await pause(FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random()));
  }
}

/** A store that refuses to be read (a key that was withdrawn, say) is put right by its owner; readers are told to come back. */
function refusedForGood(error: unknown): never {
  throw error instanceof S3ServiceError ? storeAway(error) : error;
}

function isPassing(error: unknown): boolean {
  if (error instanceof S3ServiceError) return error.status >= 500 || error.status === 429;
  return error instanceof S3NetworkError || (error as Error).name === "TimeoutError" || isBroken(error);
}

/** A connection that ended before the whole answer was here: fetch says so by a TypeError with a cause. */
const isBroken = (error: unknown): boolean => error instanceof TypeError && error.cause !== undefined;

function ignoreMissing(error: unknown): false {
  if (error instanceof S3ServiceError && error.status === 404) return false;
  throw error;
}
