import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import multicastDns from "multicast-dns";
import type { Finder, Lookout } from "../domain/discovery.ts";
import { createRecords, SERVICE_NAMES } from "./dns-sd-records.ts";
import { type LocalLink, onEveryLink } from "./local-links.ts";

const ASKS = 3;
const BETWEEN_MS = 1_000;
/** What came in meanwhile is looked at together: many packets cost no more than their reading. */
const GATHER_MS = 100;
const ASKS_FOR_EACH = 3;
const QUESTIONS_AT_ONCE = 60;

/** Printers that announce themselves by multicast DNS (RFC 6762, RFC 6763), on every link. */
export function mdnsFinder(links: () => readonly LocalLink[]): Finder {
  return {
    via: "mdns",
    find: async (lookout) => {
      const near = links();
      // The library sends from one interface; so there is one of it for each.
      await onEveryLink(near, (link) => browse(link, near, lookout));
    },
  };
}

async function browse(link: LocalLink, near: readonly LocalLink[], lookout: Lookout): Promise<void> {
  const { signal } = lookout;
  const records = createRecords((address) => near.some(({ has }) => has(address)));
  const asked = new Map<string, number>();
  const socket = multicastDns({ interface: link.address, bind: "0.0.0.0", reuseAddr: true });
  let gathering = false;

  async function lookTogether(): Promise<void> {
    if (gathering) return;
    gathering = true;
    await delay(GATHER_MS, undefined, { signal }).catch(() => {});
    gathering = false;
    if (signal.aborted) return;
    for (const sighting of records.sightings()) lookout.see(sighting);
    const questions = records
      .missing()
      .filter(({ name, type }) => (asked.get(`${type} ${name}`) ?? 0) < ASKS_FOR_EACH)
      .slice(0, QUESTIONS_AT_ONCE);
    for (const { name, type } of questions) {
      const key = `${type} ${name}`;
      asked.set(key, (asked.get(key) ?? 0) + 1);
    }
    if (questions.length > 0) socket.query(questions);
  }

  // Before it is ready, that it cannot be is told below; afterwards there is nobody to tell.
  socket.on("error", () => {});
  socket.on("warning", (problem) => {
    // A link that takes no multicast is none of the senders' fault.
    if ("syscall" in problem) return;
    lookout.heard();
    lookout.malformed();
  });
  socket.on("response", (packet, from) => {
    lookout.heard();
    // Who is not on a link of ours has no business answering here (RFC 6762, 11).
    if (signal.aborted || !near.some(({ has }) => has(from.address))) return;
    try {
      records.take(packet);
    } catch {
      return lookout.malformed();
    }
    void lookTogether();
  });
  try {
    await once(socket, "ready", { signal });
    for (let times = 0; times < ASKS; times++) {
      socket.query(SERVICE_NAMES.map((name) => ({ name, type: "PTR" as const })));
      void lookTogether();
      await delay(BETWEEN_MS, undefined, { signal });
    }
    await once(signal, "abort");
  } catch (error) {
    if (signal.aborted) return;
    throw new Error(`Multicast DNS cannot be listened to on ${link.name} (${(error as Error).message}).`);
  } finally {
    await new Promise<void>((resolve) => socket.destroy(resolve));
  }
}
