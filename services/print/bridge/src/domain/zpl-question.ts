import type { OpenChannel } from "./channel.ts";
import { OVER, type Wait } from "./courier.ts";

const QUIET_MS = 100;

/** Puts somebody's own question to the printer, on a line of its own, and brings back whatever it answers. */
export async function askOnce(
  { open, wait, readMs }: { readonly open: OpenChannel; readonly wait: Wait; readonly readMs: number },
  question: Uint8Array,
): Promise<Uint8Array> {
  const channel = await open();
  const heard: Uint8Array[] = [];
  let more = new AbortController();
  channel.onData((bytes) => {
    heard.push(bytes);
    more.abort(OVER);
  });
  await channel.write(question);
  // The first answer may take its time; after that, a short silence is the end.
  await wait(readMs, more.signal);
  for (let before = -1; before !== heard.length; ) {
    before = heard.length;
    more = new AbortController();
    await wait(QUIET_MS, more.signal);
  }
  channel.end().catch(() => channel.destroy());
  return Buffer.concat(heard);
}
