import { parentPort, workerData } from "node:worker_threads";
import { readConfig } from "@frontdesk/lease-config/validate";
import type { InterfaceState } from "../loop/network.ts";
import { openLeases } from "../store/lease-reader.ts";
import { replay } from "./replay.ts";

export interface ReplayStart {
  readonly storePath: string;
  readonly running: string;
  readonly candidate: string;
  readonly interfaces: readonly InterfaceState[];
  readonly now: number;
}

const { storePath, running, candidate, interfaces, now } = workerData as ReplayStart;
const leases = openLeases(storePath);
parentPort?.postMessage(replay(readConfig(running), readConfig(candidate), { leases, interfaces, now }));
leases.close();
