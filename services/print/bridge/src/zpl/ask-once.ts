import { OVER, type Wait } from "../domain/backend.ts";
import type { Connect } from "../domain/connection.ts";
import { BridgeError } from "../domain/errors.ts";

const QUIET_MS = 100;
/** A printer that never stops talking is not listened to for ever. */
const MAX_PIECES = 1_000;
const MAX_ANSWER = 64 * 1024;

/** Puts somebody's own question to the printer, on a connection of its own, and brings back whatever it answers. */
export async function askOnce(
  { connect, wait, readMs }: { readonly connect: Connect; readonly wait: Wait; readonly readMs: number },
  question: Uint8Array,
): Promise<Uint8Array> {
  const connection = await connect();
  const heard: Uint8Array[] = [];
  let length = 0;
  let more = new AbortController();
  connection.onData((bytes) => {
    if (heard.length < MAX_PIECES && length < MAX_ANSWER) heard.push(bytes.subarray(0, MAX_ANSWER - length));
    length += bytes.length;
    more.abort(OVER);
  });
  const broken = connection.write(question).then(
    () => false,
    () => true,
  );
  if (await Promise.race([broken, wait(readMs).then(() => false)])) {
    connection.destroy();
    throw new BridgeError("PRINTER_OFFLINE", "The printer hung up.");
  }
  // The first answer may take its time; after that, a short silence is the end.
  await wait(readMs, more.signal);
  for (let before = -1; before !== heard.length && heard.length < MAX_PIECES; ) {
    before = heard.length;
    more = new AbortController();
    await wait(QUIET_MS, more.signal);
  }
  void connection.end().catch(() => {});
  void wait(readMs).then(() => connection.destroy());
  return Buffer.concat(heard);
}

/**
 * Whether nothing more can come in answer to a question: `~HS` is answered by three strings that end with ETX, other
 * commands by one, and a variable by a quoted text. Firmware that answers without ETX has never answered whole.
 */
export function isAnsweredWhole(question: Uint8Array, answer: Uint8Array): boolean {
  const asked = Buffer.from(question).toString("latin1").toUpperCase();
  const told = Buffer.from(answer).toString("latin1");
  const count = (text: string, part: string) => text.split(part).length - 1;
  const strings = count(asked, "~H") + 2 * count(asked, "~HS") + count(asked, "^HH");
  return count(told, "\x03") >= strings && count(told, '"') >= 2 * count(asked, "GETVAR");
}
