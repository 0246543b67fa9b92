import { S3mini } from "s3mini";
import { CONTENT_ADDRESS, type Objects } from "../domain/objects.ts";

const REQUEST_LIMIT_MS = 10_000;

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
      const bytes = await bucket.getObjectArrayBuffer(checked(address));
      return bytes ? new Uint8Array(bytes) : undefined;
    },
    put: async (address, bytes, type) => {
      await bucket.putObject(checked(address), bytes, type);
    },
    delete: async (address) => {
      await bucket.deleteObject(checked(address));
    },
    // A write to S3 is there whole or not at all.
    removeLeftovers: async () => {},
    ping: async () => {
      if (!(await bucket.bucketExists()))
        throw new Error(`the bucket at ${url.host}${url.pathname} is not there`);
    },
  };
}
