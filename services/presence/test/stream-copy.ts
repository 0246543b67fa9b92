import { once } from "node:events";
import { systemClock } from "@frontdesk/kit/clock";
import { createPresence, DELIVERY_TIMES, RATE_POLICY } from "../src/presence.ts";
import { SECRETS, silent } from "./desk-under-test.ts";

/** A copy of the service as a process of its own, which serves streams until it is killed. */
const [databaseUrl = "", home = "", sessionKey = ""] = process.argv.slice(2);
const presence = await createPresence({
  databaseUrl: new URL(databaseUrl),
  clock: systemClock,
  log: silent,
  publicUrl: "http://presence.example",
  avatarUrl: "http://avatar.example",
  secrets: SECRETS,
  guard: () => "refused",
  mailer: async () => {},
  random: Math.random,
  delivery: DELIVERY_TIMES,
  policy: RATE_POLICY,
  webApp: {
    sessionKeys: [{ id: "test", secret: sessionKey }],
    home,
    mail: "outbox",
    trustedProxies: [],
    folder: home,
  },
});
await presence.app.listen({ host: "127.0.0.1", port: 0 });
await presence.start();
console.log(`ready ${(presence.app.server.address() as { port: number }).port}`);
process.once("SIGTERM", () => void presence.close().then(() => process.exit(0)));
// Whoever started this process is gone: so is this process.
process.stdin.resume();
await once(process.stdin, "end");
process.exit(0);
