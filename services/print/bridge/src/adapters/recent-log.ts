import type { Log } from "@frontdesk/kit/log";
import { symbols } from "pino";

interface Lines {
  write(line: string): unknown;
}

/** Keeps the newest lines of a log, for the administrator to read beside where they go. */
export function keepRecentLines(log: Log, most = 500): () => readonly string[] {
  const lines: string[] = [];
  const stream = (log as unknown as Record<symbol, Lines>)[symbols.streamSym] as Lines;
  const write = stream.write.bind(stream);
  stream.write = (line) => {
    lines.push(line.trimEnd());
    if (lines.length > most) lines.shift();
    return write(line);
  };
  return () => lines;
}
