import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { HaNodes } from "@frontdesk/lease-config/ha-config";
import { wakeUp } from "../loop/libc.ts";
import { type LinkConnection, LinkConnections } from "./link-connections.ts";
import type { LinkMemory } from "./link-memory.ts";
import { awaitPeer, type Credentials, dialPeer } from "./link-sockets.ts";
import type { Role } from "./ownership.ts";

/** What the link's thread is given at its start. */
export interface LinkStart {
  readonly role: Role;
  readonly addresses: HaNodes;
  readonly credentials: Credentials;
  readonly memory: LinkMemory;
  /** The descriptor that calls the packet thread out of its wait; -1 in the lab, which looks at the memory. */
  readonly wake: number;
}

export type FromLink =
  | { readonly connected: string }
  | { readonly lost: string }
  /** Why there is no connection. */
  | { readonly problem: string };

const port = parentPort as MessagePort;
const { role, addresses, credentials, memory, wake } = workerData as LinkStart;
const tell = (message: FromLink) => port.postMessage(message);

const connections = new LinkConnections(memory, {
  wake: () => {
    if (wake >= 0) wakeUp(wake);
  },
  lost: ({ peer, why }: LinkConnection) => tell({ lost: `${peer}: ${why}` }),
});
const open = role === "primary" ? awaitPeer : dialPeer;
const close = open(credentials, addresses, {
  connected: (socket) => {
    connections.add(socket);
    tell({ connected: `${socket.remoteAddress}` });
  },
  problem: (problem) => tell({ problem }),
});
port.once("message", () => {
  close();
  connections.close();
  port.close();
});
