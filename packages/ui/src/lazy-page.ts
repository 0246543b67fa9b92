import { type ComponentType, lazy } from "react";
import { connection } from "./connection.ts";
import { refetchStyles } from "./late-styles.ts";

/**
 * A page whose files are fetched when it is first shown. Where the server is away it waits until the server is back;
 * where the server answers but the files are gone, a newer release is installed, and the document is loaded anew.
 */
export function lazyPage<P extends object>(load: () => Promise<ComponentType<P>>) {
  return lazy(async () => ({ default: await patiently(load) }));
}

/** Waits for the server where it is away. */
export async function patiently<T>(load: () => Promise<T>): Promise<T> {
  const attempt = async () => {
    // Of this part or of another: what was fetched ahead may have failed as well.
    await refetchStyles();
    return load();
  };
  try {
    return await attempt();
  } catch {
    connection.lost();
    await connection.untilAnswered();
  }
  try {
    return await attempt();
  } catch {
    window.location.reload();
    return new Promise(() => {});
  }
}
