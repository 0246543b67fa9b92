import { once } from "node:events";
import { systemClock } from "@frontdesk/kit/clock";
import { createLog } from "@frontdesk/kit/log";
import { createSecretBox } from "@frontdesk/kit/secret-box";
import { createAddressGuard } from "../src/delivery/address-guard.ts";
import { createPresence } from "../src/presence.ts";

/** The service as a process of its own, with the times of delivery made short so that a test can live through them. */
const [databaseUrl = "", receiverAddress = ""] = process.argv.slice(2);
// Loaded and ready to go, it waits for the word: a test that kills often does not wait for each start.
await once(process.stdin, "data");
const presence = await createPresence({
  databaseUrl: new URL(databaseUrl),
  clock: systemClock,
  log: createLog({ service: "presence", level: "error", settings: {} }),
  publicUrl: "http://presence.example",
  avatarUrl: "http://avatar.example",
  secrets: createSecretBox([{ id: "test", secret: "a key of at least thirty-two characters" }], "test"),
  guard: createAddressGuard(["127.0.0.0/8"]),
  // Each copy finds the receiver at another address, so that the receiver can tell who delivers.
  lookup: async () => [{ address: receiverAddress, family: 4 }],
  mailer: async () => {},
  random: Math.random,
  delivery: { schedule: Array(25).fill(150), limitMs: 300, batchMs: 200, maxLanes: 128, leaseMs: 1_500 },
  policy: { max: 1_000_000, windowMs: 60_000 },
});
await presence.app.listen({ host: "127.0.0.1", port: 0 });
await presence.start();
const { port } = presence.app.server.address() as { port: number };
console.log(`ready ${port}`);

// Whoever started this process is gone: so is this process.
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
