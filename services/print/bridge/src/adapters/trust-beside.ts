import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { changeTrust, type TrustReport } from "./trust-store.ts";

type Order = readonly [authority: string, change: "add" | "remove", browsersOnly: boolean];

/** Some stores take seconds to notice a change: it is made on a thread of its own, and printing goes on. */
export function trustBeside(...order: Order): Promise<TrustReport[]> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL(import.meta.url), { workerData: order });
    thread.once("message", resolve);
    thread.once("error", reject);
  });
}

if (!isMainThread && parentPort) {
  const { port, order } = { port: parentPort, order: workerData as Order };
  port.postMessage(changeTrust(...order));
}
