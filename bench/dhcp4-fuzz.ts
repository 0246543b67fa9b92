import { readdirSync, readFileSync } from "node:fs";
import { parseHex } from "@frontdesk/lease-options/address";
import { describeMessage } from "../services/lease/engine/src/dhcp4/describe.ts";
import { decodeMessage, encodeMessage } from "../services/lease/engine/src/dhcp4/message.ts";
import { mutatedPackets } from "../services/lease/engine/test/mutated-packets.ts";

/** A million mutated packets: the decoder answers for each, and what it reads can be written again. */
const COUNT = 1_000_000;
const folder = new URL("../services/lease/engine/test/golden/packets/", import.meta.url);
const seeds = readdirSync(folder)
  .filter((name) => name.endsWith(".hex"))
  .map((name) => parseHex(readFileSync(new URL(name, folder), "utf8").replace(/\s/g, "")) as Uint8Array);

const out = new Uint8Array(70_000);
let [messages, malformed, longest] = [0, 0, 0];
const startedAt = performance.now();
for (const bytes of mutatedPackets(seeds, COUNT, Number(process.argv[2] ?? 1))) {
  const from = performance.now();
  const message = decodeMessage(bytes);
  if ("malformed" in message) malformed++;
  else {
    messages++;
    describeMessage(message);
    if (encodeMessage(message, out, 1500).length > 1500) throw new Error(Buffer.from(bytes).toString("hex"));
  }
  longest = Math.max(longest, performance.now() - from);
}
const seconds = (performance.now() - startedAt) / 1000;
console.log(`${COUNT} packets: ${messages} messages, ${malformed} malformed, nothing thrown`);
console.log(`${seconds.toFixed(1)} s in all, the longest took ${longest.toFixed(2)} ms`);
