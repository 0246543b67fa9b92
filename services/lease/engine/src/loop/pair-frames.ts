import type { Message, SentRow } from "../ha/messages.ts";
import type { Address } from "../leases/binding.ts";

/** What a row takes beside its details, and what a message may take, in octets. */
const ROW_OCTETS = 128;
const MAX_MESSAGE_OCTETS = 512 * 1024;

/**
 * A message as it leaves: everything else that is kept of a lease goes with its row, as far as the peer does not have
 * it; where that is much, in more than one message.
 */
export function framesOf(message: Message, details: (address: Address) => Uint8Array): Message[] {
  if (message.type !== "update" && message.type !== "page") return [message];
  const parts: SentRow[][] = [[]];
  let octets = 0;
  for (const row of message.rows) {
    const { address, client, state, server, end, promise, seq, base } = row;
    const whole = { address, client, state, server, end, promise, seq, base, details: details(address) };
    const size = ROW_OCTETS + whole.details.length + whole.client.length;
    octets += size;
    if (octets > MAX_MESSAGE_OCTETS) {
      parts.push([]);
      octets = size;
    }
    parts.at(-1)?.push(whole);
  }
  return parts.map((rows, i) => partOf(message, rows, i, parts.length));
}

/** What is said of all rows of a message is said with the last part of it. */
function partOf(
  message: Extract<Message, { type: "update" | "page" }>,
  rows: readonly SentRow[],
  at: number,
  count: number,
): Message {
  if (message.type === "page") return { ...message, rows, isFirst: message.isFirst && at === 0 };
  if (at === count - 1) return { ...message, rows };
  return { ...message, rows, given: [], upTo: (rows.at(-1) as SentRow).seq };
}
