import { createSocket } from "node:dgram";
import { once } from "node:events";
import { networkInterfaces } from "node:os";
import multicastDns from "multicast-dns";
import { answerZebra, isZebraQuestion, ZEBRA_PORT } from "./zebra-answer.ts";

export interface Announced {
  readonly name: string;
  readonly model: string;
  readonly serial: string;
  readonly firmware: string;
  /** Where the printer listens; 0.0.0.0 is every address of this machine. */
  readonly host: string;
  readonly port: number;
}

const TYPE = "_pdl-datastream._tcp.local";
const ANY_TYPE = "_services._dns-sd._udp.local";
const TTL_SECONDS = 120;
/** Zebra's answer has no room for a port: whoever reads it takes this one. */
const RAW_PORT = 9100;

/** The addresses by which others can reach the printer. */
function addressesOf(host: string): string[] {
  if (host !== "0.0.0.0") return [host];
  return Object.values(networkInterfaces()).flatMap((each = []) =>
    each.filter(({ family }) => family === "IPv4").map(({ address }) => address),
  );
}

/** Lets a simulated printer be found as a real one is, until it is stopped. Says by which ways. */
export async function announce(printer: Announced): Promise<{ ways: string[]; stop(): Promise<void> }> {
  const parts = [await byMulticastDns(printer)];
  if (printer.port === RAW_PORT) parts.push(await byZebraDiscovery(printer));
  return {
    ways: parts.map(({ way }) => way),
    stop: async () => void (await Promise.all(parts.map(({ stop }) => stop()))),
  };
}

async function byMulticastDns(printer: Announced) {
  // A dot would begin another label of the name.
  const label = printer.name.replaceAll(".", " ").slice(0, 60);
  const instance = `${label}.${TYPE}`;
  const target = `sim-${printer.serial.toLowerCase()}.local`;
  const texts = [
    "txtvers=1",
    `ty=Zebra ${printer.model}`,
    "pdl=application/vnd.zebra-zpl",
    "usb_MFG=Zebra",
    `usb_MDL=${printer.model}`,
    "usb_CMD=ZPL",
    `usb_SN=${printer.serial}`,
  ];
  const sockets = addressesOf(printer.host).map((address) => {
    const ttl = TTL_SECONDS;
    const ptr = { name: TYPE, type: "PTR" as const, ttl, data: instance };
    const srv = { name: instance, type: "SRV" as const, ttl, data: { target, port: printer.port } };
    const txt = { name: instance, type: "TXT" as const, ttl, data: texts };
    const a = { name: target, type: "A" as const, ttl, data: address };
    const type = { name: ANY_TYPE, type: "PTR" as const, ttl, data: TYPE };
    const known = [ptr, srv, txt, a, type];
    const socket = multicastDns({ interface: address, bind: "0.0.0.0", reuseAddr: true });
    socket.on("warning", () => {});
    socket.on("error", () => {});
    socket.on("query", ({ questions = [] }) => {
      const answers = known.filter((record) =>
        questions.some(
          ({ name, type }) =>
            name.toLowerCase() === record.name.toLowerCase() && [record.type, "ANY"].includes(type),
        ),
      );
      if (answers.length === 0) return;
      const additionals = answers.includes(ptr) ? [srv, txt, a] : answers.includes(srv) ? [a] : [];
      socket.respond({ answers, additionals });
    });
    return { socket, hello: () => socket.respond([ptr, srv, txt, a]), goodbye: { ...ptr, ttl: 0 } };
  });
  await Promise.all(sockets.map(({ socket }) => once(socket, "ready")));
  for (const { hello } of sockets) hello();
  return {
    way: `multicast DNS as "${label}"`,
    stop: async () => {
      for (const { socket, goodbye } of sockets) {
        await new Promise<void>((resolve) => socket.respond([goodbye], () => resolve()));
        await new Promise<void>((resolve) => socket.destroy(resolve));
      }
    },
  };
}

async function byZebraDiscovery(printer: Announced) {
  const socket = createSocket({ type: "udp4", reuseAddr: true });
  const isLoopback = (address: string) => address.startsWith("127.");
  socket.on("error", () => {});
  socket.on("message", (bytes, from) => {
    // Broadcasts only come to those who listen everywhere: a printer for this machine alone answers no other.
    if (!isZebraQuestion(bytes) || (isLoopback(printer.host) && !isLoopback(from.address))) return;
    const [own = printer.host] = addressesOf(printer.host).filter(
      (address) => isLoopback(address) === isLoopback(from.address),
    );
    socket.send(answerZebra({ ...printer, address: own }), from.port, from.address);
  });
  socket.bind(ZEBRA_PORT, "0.0.0.0");
  await once(socket, "listening");
  return {
    way: `Zebra's discovery on UDP ${ZEBRA_PORT}`,
    stop: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}
