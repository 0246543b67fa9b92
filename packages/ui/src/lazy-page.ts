import { type ComponentType, lazy } from "react";
import { connection } from "./connection.ts";

/**
 * A page whose files are fetched when it is first shown. Where the server is away it waits until the server is back;
 * where the server answers but the files are gone, a newer release is installed, and the document is loaded anew.
 */
export function lazyPage<P extends object>(load: () => Promise<ComponentType<P>>) {
  return lazy(async () => ({ default: await patiently(load) }));
}

/** Waits for the server where it is away. */
export async function patiently<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    connection.lost();
    await connection.untilAnswered();
  }
  try {
    return await load();
  } catch {
    window.location.reload();
    return new Promise(() => {});
  }
}
