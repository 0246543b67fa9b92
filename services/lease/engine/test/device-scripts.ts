import { readSync, writeSync } from "node:fs";
import { formatHex, formatIpv4, u32Bytes } from "@frontdesk/lease-options/address";
import { EchoProbe } from "../src/loop/address-probe.ts";
import { DeviceNetwork } from "../src/loop/device-network.ts";
import { type DeviceSocket, indexOf, inetName, linkName, openSockets } from "../src/loop/device-socket.ts";
import {
  AF_INET,
  AF_PACKET,
  ETH_P_ARP,
  IPPROTO_ICMP,
  libc,
  must,
  newWakeUp,
  SO_SNDBUF,
  SOCK_DGRAM,
  SOCK_RAW,
  setOption,
} from "../src/loop/libc.ts";
import { MessageVector, NAME } from "../src/loop/message-vector.ts";
import type { Ingress } from "../src/loop/wire.ts";

const ETH_P_8021Q = 0x8100;

/** Runs inside a test's network: `first-round <absent> <interfaces>` or `send-unanswered <address>`, `without-descriptors <interface>`, or `hardware <interface>`, `towards <address> <interface of the client> <interfaces>`, `hear <last address> <interfaces>` or `hear-later <last address> <interfaces>`, `claim <interface> <addresses>` or `claim-tagged <interface> <addresses>`, `flood <interface> <address> <times>`, `flood-echo <address> <times>`. */
const [what, ...words] = process.argv.slice(2);
if (what === "first-round") firstRound(Number(words[0]), words.slice(1));
else if (what === "send-unanswered") sendUnanswered(words[0] as string);
else if (what === "without-descriptors") withoutDescriptors(words[0] as string);
else if (what === "hear" || what === "hear-later")
  hear(what === "hear-later", octetsOf(words[0] as string), words.slice(1));
else if (what === "claim" || what === "claim-tagged")
  claim(what === "claim-tagged", words[0] as string, words.slice(1));
else if (what === "flood-echo") floodEcho(octetsOf(words[0] as string), Number(words[1]));
else if (what === "flood") flood(words[0] as string, words[1] as string, Number(words[2]));
else if (what === "towards") towards(octetsOf(words[0] as string), words[1] as string, words.slice(2));
else if (what === "hardware")
  console.log(
    openSockets(words, false)
      .devices.map(({ hardware }) => formatHex(hardware))
      .join(),
  );

/**
 * Opens the interfaces, waits for a line, and tells how many packets of each the first round holds, beside many that are
 * not there.
 */
function firstRound(absent: number, interfaces: string[]): void {
  const opened = openSockets(interfaces, false);
  const gone = (_: unknown, i: number) => ({
    ...(opened.devices[0] as DeviceSocket),
    ...{ name: `gone${i}`, index: 0, udp: -1 },
  });
  const sockets = { ...opened, devices: [...Array.from({ length: absent }, gone), ...opened.devices] };
  console.log("open");
  process.stdin.once("data", () => {
    const network = new DeviceNetwork(sockets, -1, () => {});
    void network.run({
      packets: (round) => {
        const counts = Object.groupBy(round, ({ ingress }) => ingress.interfaceName);
        console.log(
          JSON.stringify(
            Object.fromEntries(Object.entries(counts).map(([name, all]) => [name, all?.length])),
          ),
        );
        network.stop();
        process.exit(0);
      },
      answered: () => {},
      tick: () => {},
      called: () => {},
      patience: () => Number.POSITIVE_INFINITY,
      probing: () => false,
      needsIpv6: () => false,
      interfacesChanged: () => {},
    });
  });
}

/** Sends more than the socket's buffer holds to an address that nobody answers for, and tells what the system said. */
function sendUnanswered(address: string): void {
  const fd = libc().socket(AF_INET, SOCK_DGRAM, 0);
  setOption(fd, SO_SNDBUF, 4096);
  const count = 64;
  const vector = new MessageVector(count, 1024);
  for (let i = 0; i < count; i++) {
    vector.names.set(inetName(octetsOf(address), 68), i * NAME);
    vector.fill(i, 1024, 16, 0);
  }
  const codes: string[] = [];
  vector.send(fd, count, (_, code) => codes.push(code));
  console.log(JSON.stringify(codes));
}

function octetsOf(address: string): number {
  return address.split(".").reduce((sum, octet) => sum * 256 + Number(octet), 0);
}

/**
 * Tells the addresses that are heard in use, until it is this one, which is probed. With `isBusy`, it does something else
 * after it has begun to listen, until there is a line for it, and then probes once.
 */
function hear(isBusy: boolean, last: number, interfaces: string[]): void {
  const network = new DeviceNetwork(openSockets(interfaces, false), newWakeUp(), () => {});
  const heard: string[] = [];
  let isOpen = false;
  void network.run({
    packets: () => {},
    answered: ({ address }) => {
      heard.push(formatIpv4(address));
      if (address !== last) return;
      console.log(JSON.stringify(heard));
      network.stop();
    },
    tick: () => {
      if (!isOpen) writeSync(1, "open\n");
      if (!isOpen && isBusy) readSync(0, Buffer.alloc(1));
      if (!isOpen || !isBusy) network.probe(last, network.towards(last) as Ingress);
      isOpen = true;
    },
    called: () => {},
    patience: () => Number.POSITIVE_INFINITY,
    probing: () => true,
    needsIpv6: () => false,
    interfacesChanged: () => {},
  });
}

/** Tells by which interface something leaves to a client that came through one of them. */
function towards(address: number, interfaceName: string, interfaces: string[]): void {
  const network = new DeviceNetwork(openSockets(interfaces, false), -1, () => {});
  console.log(network.towards(address, interfaceName)?.interfaceName);
}

/** Asks an address by echo, over and over. */
function floodEcho(address: number, times: number): void {
  const probe = new EchoProbe(must("socket", libc().socket(AF_INET, SOCK_RAW, IPPROTO_ICMP)));
  for (let i = 0; i < times; i++) probe.send(address);
}

/** Answers for an address by ARP, over and over. */
function flood(name: string, address: string, times: number): void {
  claim(false, name, new Array(times).fill(address));
}

/** Answers by ARP for addresses, in frames of a VLAN if asked. */
function claim(isTagged: boolean, name: string, addresses: string[]): void {
  const fd = libc().socket(AF_PACKET, SOCK_DGRAM, 0);
  for (const address of addresses) {
    const tag = isTagged ? [0, 5, ETH_P_ARP >> 8, ETH_P_ARP & 255] : [];
    const own = [...Buffer.from("020000000077", "hex"), ...u32Bytes(octetsOf(address))];
    const packet = Buffer.from([...tag, 0, 1, 8, 0, 6, 4, 0, 2, ...own, ...own]);
    const to = linkName(indexOf(name), isTagged ? ETH_P_8021Q : ETH_P_ARP, new Uint8Array(6).fill(0xff));
    must("sendto", libc().sendto(fd, packet, packet.length, 0, to, to.length));
  }
}

/** Serves an interface while the process may open no more descriptors, and tells what is served once it may again. */
function withoutDescriptors(name: string): void {
  const network = new DeviceNetwork(openSockets([name], true), newWakeUp(), () => {});
  const taken: number[] = [];
  for (let fd = newWakeUpOrNone(); fd >= 0; fd = newWakeUpOrNone()) taken.push(fd);
  const states: boolean[] = [];
  let ticks = 0;
  void network.run({
    packets: () => {},
    answered: () => {},
    tick: () => {
      ticks++;
      if (ticks === 1) for (const fd of taken) libc().close(fd);
      if (states.length > 0) network.stop();
    },
    called: () => {},
    patience: () => Number.POSITIVE_INFINITY,
    probing: () => false,
    needsIpv6: () => false,
    interfacesChanged: (interfaces) => states.push(...interfaces.map(({ isServed }) => isServed)),
  });
  console.log(JSON.stringify({ taken: taken.length > 0, states }));
}

function newWakeUpOrNone(): number {
  try {
    return newWakeUp();
  } catch {
    return -1;
  }
}
