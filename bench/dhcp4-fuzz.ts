import { readdirSync, readFileSync } from "node:fs";
import { parseHex } from "@frontdesk/lease-options/address";
import { describeMessage } from "../services/lease/engine/src/dhcp4/describe.ts";
import { decodeMessage, encodeMessage } from "../services/lease/engine/src/dhcp4/message.ts";
import { mutatedPackets, seededRandom } from "../services/lease/engine/test/mutated-packets.ts";

/**
 * A million mutated packets: the decoder answers for each, and what it reads can be written again.
 * Then ten thousand random option areas: written, over file and sname where they must, and read back the same.
 */
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

const AREAS = 10_000;
const random = seededRandom(Number(process.argv[2] ?? 1));
const upTo = (most: number) => Math.floor(random() * (most + 1));
const octets = (length: number) => Uint8Array.from({ length }, () => upTo(255));
const template = decodeMessage(seeds[0] as Uint8Array);
if ("malformed" in template) throw new Error(template.malformed);
for (let n = 0; n < AREAS; n++) {
  const options = new Map([[53, Uint8Array.of(1 + upTo(7))]]);
  for (let left = upTo(1200); left > 2 && options.size < 60; ) {
    const [code, value] = [1 + upTo(253), octets(Math.min(upTo(320), left - 2))];
    if (code === 52 || options.has(code)) continue;
    options.set(code, value);
    left -= value.length + 2 * Math.max(1, Math.ceil(value.length / 255));
  }
  const { length, left } = encodeMessage(
    { ...template, options, sname: octets(0), file: octets(0) },
    out,
    1500,
  );
  const back = decodeMessage(out.subarray(0, length));
  const wanted = new Map([...options].filter(([code]) => !left.includes(code)));
  const same =
    !("malformed" in back) &&
    back.options.size === wanted.size &&
    [...wanted].every(([code, value]) => Buffer.compare(value, back.options.get(code) ?? octets(1)) === 0);
  if (!same) throw new Error(`options ${[...options.keys()]} came back otherwise`);
}
console.log(`${AREAS} random option areas came back as they were written`);
