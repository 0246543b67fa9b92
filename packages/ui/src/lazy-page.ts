import { type ComponentType, lazy } from "react";
import { partOr } from "./late-part.ts";
import { NewRelease } from "./new-release.tsx";

/**
 * A page whose files are fetched when it is first shown. Where the server is away it waits until the server is back;
 * where the files are gone, a newer release is installed, and `instead` is shown. Without that the document is loaded
 * anew, unless somebody is at work in it.
 */
export function lazyPage<P extends object>(
  load: () => Promise<ComponentType<P>>,
  instead?: ComponentType<P>,
) {
  return lazy(async () => ({ default: await partOr(load, instead, NewRelease) }));
}
