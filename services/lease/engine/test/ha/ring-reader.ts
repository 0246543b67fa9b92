import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { Ring } from "../../src/ha/ring.ts";

/** Reads a number of records and tells what is wrong with them; see ring.test.ts. */
const { memory, count } = workerData as { memory: SharedArrayBuffer; count: number };
const ring = new Ring(memory);
// Waiting for memory alone keeps no thread alive.
const alive = setInterval(() => {}, 1000);
const wrong: string[] = [];
for (let n = 0; n < count; ) {
  const record = ring.read();
  if (!record) {
    await ring.readable(1000);
    continue;
  }
  const { kind, link, octets } = record;
  const isRight = kind === n % 7 && link === n && octets.every((octet) => octet === n % 251);
  if (!isRight && wrong.length < 5) wrong.push(`record ${n} is ${kind} ${link} ${octets}`);
  n++;
}
clearInterval(alive);
(parentPort as MessagePort).postMessage(wrong);
