import { describePacket } from "../services/lease/engine/src/dhcp6/describe.ts";
import { readIas } from "../services/lease/engine/src/dhcp6/ia.ts";
import { isSolicit } from "../services/lease/engine/src/dhcp6/is-solicit.ts";
import { decodePacket, encodePacket } from "../services/lease/engine/src/dhcp6/message.ts";
import { desk6, ip6, na, octets, packetOf6, pd, TOML6 } from "../services/lease/engine/test/desk6.ts";
import { mutatedPackets } from "../services/lease/engine/test/mutated-packets.ts";

/**
 * A million mutated packets of DHCPv6, relays included: the decoder answers for each, what it reads is written again
 * the same, and a server that gets them brings out no fault.
 */
const COUNT = 1_000_000;
const SERVED = 100_000;
const seed = Number(process.argv[2] ?? 1);

const hop = {
  link: ip6("fd77::1"),
  options: [
    { code: 18, value: octets("70:6f:72:74") },
    { code: 79, value: octets("00:01:02:00:00:00:00:07") },
  ],
};
const seeds = [1, 3, 4, 5, 6, 8, 9, 11].flatMap((type) =>
  [[], [hop], [{ ...hop, link: 0n }, hop], Array(8).fill(hop)].map((relays) =>
    packetOf6(type, {
      relays,
      ask: [23, 24, 67, 82],
      ias: type === 11 ? [] : [na(1, "fd77::1000"), na(2), pd(3, "fd77:1:0:100::/56"), pd(4, "::/60")],
    }),
  ),
);

const out = new Uint8Array(70_000);
let [packets, malformed, longest] = [0, 0, 0];
const startedAt = performance.now();
for (const bytes of mutatedPackets(seeds, COUNT, seed)) {
  const from = performance.now();
  isSolicit(bytes);
  const packet = decodePacket(bytes);
  if ("malformed" in packet) malformed++;
  else {
    packets++;
    describePacket(packet);
    readIas(packet.message.options);
    const { length, left } = encodePacket(packet, out);
    const again = decodePacket(out.subarray(0, length));
    if (left.length > 0 || "malformed" in again) throw new Error(Buffer.from(bytes).toString("hex"));
  }
  longest = Math.max(longest, performance.now() - from);
}
const seconds = (performance.now() - startedAt) / 1000;
console.log(`${COUNT} packets: ${packets} read, ${malformed} malformed, nothing thrown`);
console.log(`${seconds.toFixed(1)} s in all, the longest took ${longest.toFixed(2)} ms`);

const { engine, ingress, faults, counters, store } = desk6(TOML6);
for (const bytes of mutatedPackets(seeds, SERVED, seed + 1)) engine.handle([{ family: 6, bytes, ingress }]);
if (faults.length > 0) throw new Error(`a packet brought out a fault: ${JSON.stringify(faults[0])}`);
const sent = counters.get("sent6_reply") + counters.get("sent6_advertise");
console.log(`${SERVED} of them served: ${sent} answered, ${store.leases6.size} leases, no fault`);
