import { createSocket, type RemoteInfo } from "node:dgram";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Finder, Lookout } from "../domain/discovery.ts";
import { serialMarks } from "../domain/found-printer.ts";
import { dpmmIn, languagesIn } from "../domain/printer-clues.ts";
import { type LocalLink, onEveryLink } from "./local-links.ts";
import { readZebraAnswer, ZEBRA_PORT, ZEBRA_QUESTION } from "./zebra-packet.ts";

/** A packet may be lost: it is asked again. */
const ASKS = 3;
const BETWEEN_MS = 900;

/** Zebra's own: a question to everybody on the link, answered by each print server to whoever asked. */
export function zebraFinder(links: () => readonly LocalLink[]): Finder {
  return {
    via: "zebra",
    find: (lookout) => onEveryLink(links(), (link) => askLink(link, lookout)),
  };
}

async function askLink(link: LocalLink, lookout: Lookout): Promise<void> {
  const { signal } = lookout;
  const socket = createSocket("udp4");
  // An interface that goes away in the middle has no more printers: nothing to tell of.
  socket.on("error", () => {});
  socket.on("message", (bytes, from) => {
    lookout.heard();
    if (link.has(from.address)) onAnswer(bytes, from, link, lookout);
  });
  try {
    socket.bind(0, link.address);
    await once(socket, "listening", { signal });
    socket.setBroadcast(true);
    for (let asked = 0; asked < ASKS; asked++) {
      socket.send(ZEBRA_QUESTION, ZEBRA_PORT, link.broadcast);
      await delay(BETWEEN_MS, undefined, { signal });
    }
    await once(signal, "abort");
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    socket.close();
  }
}

function onAnswer(bytes: Buffer, from: RemoteInfo, link: LocalLink, lookout: Lookout): void {
  const answer = readZebraAnswer(bytes);
  if (!answer) return void lookout.malformed();
  const { productName, serial, systemName, address = "" } = answer.fields ?? {};
  // What it says of its address counts only if that is on this link; the sender's is.
  const host = link.has(address) ? address : from.address;
  const model = productName && (/zebra/i.test(productName) ? productName : `Zebra ${productName}`);
  lookout.see({
    via: "zebra",
    transport: "tcp",
    address: `${host}:9100`,
    name: systemName ?? model ?? `Zebra printer at ${host}`,
    model,
    serial,
    languages: languagesIn("zebra"),
    dpmm: dpmmIn(productName),
    sure: true,
    marks: serialMarks("zebra", serial),
  });
}
