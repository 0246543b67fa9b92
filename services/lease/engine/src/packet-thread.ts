import { Worker } from "node:worker_threads";
import type { Log } from "@frontdesk/kit/log";
import { StartProblem } from "@frontdesk/kit/problem";
import type { CallName, Calls, FromWorker, WorkerStart } from "./calls.ts";
import { COUNTERS } from "./counter-names.ts";
import { Counters } from "./loop/counters.ts";
import type { Sockets } from "./loop/device-socket.ts";
import { newWakeUp, wakeUp } from "./loop/libc.ts";

const NO_WAKE = -1;

/** The packet worker as the rest of the process sees it. */
export class PacketThread {
  readonly counters: Counters;
  readonly #worker: Worker;
  /** What calls the worker out of its wait; -1 in the lab. */
  readonly wake: number;
  readonly #open = new Map<number, { resolve: (answer: never) => void; reject: (error: Error) => void }>();
  #lastId = 0;
  #failure: Error | undefined;
  readonly ended: Promise<void>;

  private constructor(worker: Worker, wake: number, counters: Counters) {
    this.#worker = worker;
    this.wake = wake;
    this.counters = counters;
    this.ended = new Promise((resolve) => {
      worker.once("exit", () => {
        this.#failure ??= new Error("the packet worker has ended");
        for (const { reject } of this.#open.values()) reject(this.#failure);
        this.#open.clear();
        resolve();
      });
    });
  }

  /** Starts the worker and waits until it serves. */
  static async start(options: {
    configText: string;
    version: string;
    storePath: string;
    sockets: Sockets | undefined;
    service: string;
    pair: WorkerStart["pair"];
    log: Log;
  }): Promise<PacketThread> {
    const counters = new Counters(COUNTERS);
    const wake = options.sockets ? newWakeUp() : NO_WAKE;
    const workerData: WorkerStart = {
      configText: options.configText,
      version: options.version,
      storePath: options.storePath,
      sockets: options.sockets,
      counters: counters.memory,
      wake,
      service: options.service,
      pair: options.pair,
    };
    const worker = new Worker(new URL("./packet-worker.ts", import.meta.url), { workerData });
    const thread = new PacketThread(worker, wake, counters);
    await new Promise<void>((resolve, reject) => {
      worker.once("error", reject);
      worker.on("message", (message: FromWorker) => {
        if ("ready" in message) {
          options.log.info(message.ready, "serving");
          worker.off("error", reject);
          resolve();
        } else if ("problem" in message) reject(new StartProblem(message.problem));
        else thread.#hear(message, options.log);
      });
      void thread.ended.then(() => reject(new Error("the packet worker ended before it served")));
    });
    worker.on("error", (error) => {
      thread.#failure = error as Error;
      options.log.fatal({ err: error }, "the packet worker failed");
    });
    return thread;
  }

  ask<K extends CallName>(call: K, ask: Calls[K]["ask"]): Promise<Calls[K]["answer"]> {
    if (this.#failure) return Promise.reject(this.#failure);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.#worker.postMessage({ id, call, ask });
      if (this.wake !== NO_WAKE) wakeUp(this.wake);
    });
  }

  async stop(): Promise<void> {
    if (!this.#failure) await this.ask("stop", {}).catch(() => {});
    await this.ended;
  }

  #hear(message: FromWorker, log: Log): void {
    if ("log" in message) log[message.log](message.details, message.message);
    else if ("answered" in message) {
      this.#open.get(message.answered)?.resolve(message.answer as never);
      this.#open.delete(message.answered);
    } else if ("failed" in message) {
      this.#open.get(message.failed)?.reject(new Error(message.why));
      this.#open.delete(message.failed);
    }
  }
}
