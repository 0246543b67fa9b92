import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** Windows has neither; there both are 0. */
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/**
 * The text of a file in a folder where others may write too; undefined when there is none. Of a link that was put in its
 * place nothing is read, and a FIFO, which would wait for its other end, holds nobody up.
 */
export function regularFileText(path: string): string | undefined {
  let fd: number;
  try {
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (["ENOENT", "ELOOP", "ENXIO"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
  try {
    return fstatSync(fd).isFile() ? readFileSync(fd, "utf8") : undefined;
  } finally {
    closeSync(fd);
  }
}
