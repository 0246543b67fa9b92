import { Worker } from "node:worker_threads";
import type { FromLink, LinkStart } from "./link-worker.ts";

export interface LinkLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** After a failure of the link's thread. */
const START_AGAIN_MS = 1000;
/** Connections that end sooner, one after another, are told once. */
const SHORT_MS = 2000;

/** The link's thread as the main thread sees it. */
export class LinkThread {
  readonly #start: LinkStart;
  readonly #log: LinkLog;
  #worker: Worker | undefined;
  #problem: string | undefined;
  #connectedAt = 0;
  /** The last connection ended at once: the nodes refuse each other, which is told elsewhere. */
  #wasShort = false;
  #isStopping = false;

  private constructor(start: LinkStart, log: LinkLog) {
    this.#start = start;
    this.#log = log;
  }

  static start(start: LinkStart, log: LinkLog): LinkThread {
    const thread = new LinkThread(start, log);
    thread.#run();
    return thread;
  }

  /** Why there is no connection; undefined while there is one, or nothing is known. */
  get problem(): string | undefined {
    return this.#problem;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const worker = this.#worker;
    if (!worker) return;
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    worker.postMessage("stop");
    await ended;
  }

  #run(): void {
    const worker = new Worker(new URL("./link-worker.ts", import.meta.url), { workerData: this.#start });
    this.#worker = worker;
    worker.on("message", (message: FromLink) => this.#hear(message));
    worker.on("error", (error) => this.#log.error({ err: error }, "the link's thread failed"));
    worker.once("exit", () => {
      this.#worker = undefined;
      if (!this.#isStopping) setTimeout(() => this.#isStopping || this.#run(), START_AGAIN_MS).unref();
    });
  }

  #hear(message: FromLink): void {
    if ("connected" in message) {
      this.#problem = undefined;
      this.#connectedAt = performance.now();
      if (!this.#wasShort) this.#log.info({ peer: message.connected }, "connected to the peer");
    } else if ("lost" in message) {
      const isShort = performance.now() - this.#connectedAt < SHORT_MS;
      if (!isShort || !this.#wasShort) this.#log.warn({ why: message.lost }, "connection to the peer lost");
      this.#wasShort = isShort;
    } else if (message.problem !== this.#problem) {
      this.#problem = message.problem;
      this.#log.warn({ why: message.problem }, "no connection to the peer; trying again");
    }
  }
}
