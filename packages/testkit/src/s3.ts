import { createRequire } from "node:module";
import type { TestContext } from "node:test";
import { temporaryHome } from "./temporary-home.ts";

/** The part of s3rver that we use; the package has no types. */
interface S3Server {
  run(): Promise<{ port: number }>;
  close(): Promise<void>;
}

/** An S3 server that checks signatures, with one empty bucket, and the folder it keeps it in; gone when the test ends. */
export async function s3Server(t: Pick<TestContext, "after">): Promise<{ url: URL; folder: string }> {
  const Server = createRequire(import.meta.url)("@20minutes/s3rver") as new (options: object) => S3Server;
  const folder = temporaryHome(t);
  const server = new Server({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    vhostBuckets: false,
    directory: folder,
    configureBuckets: [{ name: "avatars" }],
  });
  const { port } = await server.run();
  t.after(() => server.close());
  return { url: new URL(`s3+http://S3RVER:S3RVER@127.0.0.1:${port}/avatars?region=us-east-1`), folder };
}

export const s3Bucket = async (t: Pick<TestContext, "after">): Promise<URL> => (await s3Server(t)).url;
