/** What a process did to its files and told its clients, in order, read from strace's account of it. */
export type Recorded =
  | { readonly kind: "write"; readonly path: string; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: "size"; readonly path: string; readonly size: number }
  | { readonly kind: "sync"; readonly path: string }
  | { readonly kind: "sent"; readonly bytes: Uint8Array };

const unhex = (text: string) => Buffer.from(text.replaceAll("\\x", ""), "hex");

/** The paths that strace shows are hex too with -xx. */
const pathOf = (shown: string) => (shown.includes("\\x") ? unhex(shown).toString() : shown);

export function readRecording(text: string, files: RegExp): Recorded[] {
  return wholeLines(text).flatMap((line) => recorded(line, files));
}

/** A call that another thread's interrupted stands in two lines: it counts when it ended. */
function wholeLines(text: string): string[] {
  const begun = new Map<string, string>();
  const whole: string[] = [];
  for (const line of text.split("\n")) {
    const [, pid = "", rest = ""] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    const cut = rest.indexOf(" <unfinished ...>");
    const resumed = /^<\.\.\. \w+ resumed>/.exec(rest);
    if (cut >= 0) {
      const start = rest.slice(0, cut);
      // A reply is out as soon as it may be: the moment the call began.
      if (start.startsWith("send")) whole.push(`${start}) = 1`);
      else begun.set(pid, start);
    } else if (resumed) {
      const start = begun.get(pid);
      if (start !== undefined) whole.push(start + rest.slice(resumed[0].length));
      begun.delete(pid);
    } else whole.push(rest);
  }
  return whole;
}

function recorded(line: string, files: RegExp): Recorded[] {
  if (line.startsWith("send")) {
    return [...line.matchAll(/iov_base="((?:\\x[0-9a-f]{2})*)"/g)].map((match) => ({
      kind: "sent",
      bytes: unhex(match[1] as string),
    }));
  }
  const [, call = "", shown = "", rest = ""] = /^(\w+)\(\d+<([^>]*)>(.*)$/.exec(line) ?? [];
  const path = pathOf(shown);
  if (!files.test(path) || / = -1 /.test(rest)) return [];
  if (call === "fsync" || call === "fdatasync") return [{ kind: "sync", path }];
  if (call === "ftruncate") return [{ kind: "size", path, size: Number(/^, (\d+)/.exec(rest)?.[1]) }];
  const write = /^, "((?:\\x[0-9a-f]{2})*)", \d+(?:, (\d+))?\)/.exec(rest);
  if (!write) throw new Error(`a write that cannot be read: ${line.slice(0, 200)}`);
  if (write[2] === undefined) throw new Error(`a write without a place: ${call} to ${path}`);
  return [{ kind: "write", path, at: Number(write[2]), bytes: unhex(write[1] as string) }];
}
