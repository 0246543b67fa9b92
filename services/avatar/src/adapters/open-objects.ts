import { fileURLToPath } from "node:url";
import { StartProblem } from "@frontdesk/kit/problem";
import type { Objects } from "../domain/objects.ts";
import { folderObjects } from "./folder-objects.ts";
import { s3Objects } from "./s3-objects.ts";

export const OBJECT_SCHEMES = ["file", "s3+https", "s3+http"] as const;

/** The object store that a URL names, found to be there. */
export async function openObjects(url: URL): Promise<Objects> {
  const objects = url.protocol === "file:" ? folderObjects(fileURLToPath(url)) : s3Objects(url);
  try {
    await objects.ping();
    return objects;
  } catch (error) {
    throw new StartProblem(
      `The object store at ${url.host}${url.pathname} cannot be used (${(error as Error).message}): correct AVATAR_OBJECTS_URL, or start it.`,
    );
  }
}
