import { symbols } from "pino";
import type { Log } from "./log.ts";

interface Destination {
  write(line: string): unknown;
}

const MAX_LINES = 500;
/** A line that is longer is kept by its beginning. */
const MAX_LINE = 8 * 1024;

/** Keeps the newest lines of a log in memory, for the administrator to read beside where they go. */
export function keepRecentLines(log: Log, maxLines = MAX_LINES): () => readonly string[] {
  const lines: string[] = [];
  const destination = (log as unknown as Record<symbol, Destination>)[symbols.streamSym] as Destination;
  const write = destination.write.bind(destination);
  destination.write = (line) => {
    lines.push(line.trimEnd().slice(0, MAX_LINE));
    if (lines.length > maxLines) lines.shift();
    return write(line);
  };
  return () => lines;
}
