/**
 * What a ZPL printer hears. Bytes arrive in pieces of any size; each complete instruction leaves as
 * one event, in order. Text is latin1 throughout, so that every byte survives.
 */
export type Heard =
  | { readonly kind: "command"; readonly name: string; readonly text: string }
  | { readonly kind: "sgd"; readonly line: string };

/** Commands that are complete without anything after them, and so act as soon as they are read. */
const COMPLETE = /^[\^~](?:XA|XZ|FS|HS|HI|PS|PP|JA|JX|HQES|HQOD|HM|JR|RO)/;
/** The ones whose name is longer than two letters. */
const LONG_NAME = /^[\^~]HQ/;
const PENDING_LIMIT = 16 * 1024 * 1024;

export function createZplStream(hear: (heard: Heard) => void): (bytes: Uint8Array) => void {
  let pending = "";
  return (bytes) => {
    pending += Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
    if (pending.length > PENDING_LIMIT) pending = "";
    let at = 0;
    for (;;) {
      const next = readOne(pending, at);
      if (!next) break;
      at = next.end;
      if (next.heard) hear(next.heard);
    }
    pending = pending.slice(at);
  };
}

/** The instruction that begins at a place, or nothing while it is not complete. */
function readOne(text: string, from: number): { heard?: Heard; end: number } | undefined {
  if (from >= text.length) return undefined;
  const first = text[from];
  if (first === "!") {
    const newline = text.indexOf("\n", from);
    if (newline < 0) return undefined;
    return { heard: { kind: "sgd", line: text.slice(from, newline).trim() }, end: newline + 1 };
  }
  if (first !== "^" && first !== "~") {
    const start = text.slice(from).search(/[\^~!]/);
    return { end: start < 0 ? text.length : from + start };
  }
  const nameLength = LONG_NAME.test(text.slice(from, from + 3)) ? 5 : 3;
  if (text.length < from + nameLength) return undefined;
  const name = text.slice(from, from + nameLength).toUpperCase();
  const end = COMPLETE.test(name) ? from + nameLength : endOfParameters(text, from, name);
  if (end === undefined) return undefined;
  return { heard: { kind: "command", name, text: text.slice(from + nameLength, end) }, end };
}

function endOfParameters(text: string, from: number, name: string): number | undefined {
  const binary = binaryLength(text, from, name);
  if (binary === "unfinished") return undefined;
  if (binary !== undefined) return binary <= text.length ? binary : undefined;
  const next = text.slice(from + 3).search(/[\^~]/);
  return next < 0 ? undefined : from + 3 + next;
}

/** Raw graphics may hold any byte, so their end is told by the count they announce. */
function binaryLength(text: string, from: number, name: string): number | "unfinished" | undefined {
  const head = text.slice(from + 3, from + 80);
  const shape =
    name === "^GF" ? /^B,(\d+),\d+,\d+,/i : name === "~DY" ? /^[^,]*,[BPC],[^,]*,(\d+),\d*,/i : undefined;
  if (!shape) return undefined;
  const match = shape.exec(head);
  if (match) return from + 3 + match[0].length + Number(match[1]);
  return head.length < 77 && !/[\^~]/.test(head) ? "unfinished" : undefined;
}
