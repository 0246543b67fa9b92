import { parentPort, Worker } from "node:worker_threads";

interface Order {
  readonly id: number;
  readonly zpl: string;
  readonly widthMm: number;
  readonly heightMm: number;
  readonly dpmm: number;
}

type Result = { readonly id: number } & ({ readonly pictures: Uint8Array[] } | { readonly problem: string });

export interface LabelRenderer {
  /** One PNG for each label format, in order. */
  render(label: Omit<Order, "id">): Promise<Uint8Array[]>;
  close(): Promise<void>;
}

const IDLE_MS = 60_000;
/** A label that takes longer is not a label: the thread is given up, and whoever waits is told. */
const LONGEST_MS = 20_000;

/**
 * Draws ZPL with a WebAssembly renderer, on a thread of its own: drawing takes long enough to be
 * felt by everyone else. The thread comes with the first label and goes when nothing is drawn.
 */
export function createLabelRenderer(): LabelRenderer {
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;
  const waiting = new Map<
    number,
    { resolve: (pictures: Uint8Array[]) => void; reject: (error: Error) => void }
  >();

  function start(): Worker {
    const thread = new Worker(new URL(import.meta.url), { stdout: true });
    thread.on("message", (result: Result) => {
      const order = waiting.get(result.id);
      waiting.delete(result.id);
      if ("pictures" in result) order?.resolve(result.pictures);
      else order?.reject(new Error(result.problem));
    });
    thread.on("error", (error: Error) => {
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
      worker = undefined;
    });
    return thread;
  }

  async function close(): Promise<void> {
    clearTimeout(idle);
    const thread = worker;
    worker = undefined;
    await thread?.terminate();
  }

  function giveUp(): void {
    for (const { reject } of waiting.values()) reject(new Error("it took too long"));
    waiting.clear();
    void close();
  }

  return {
    render: (label) =>
      new Promise((resolve, reject) => {
        worker ??= start();
        const id = ++lastId;
        const late = setTimeout(giveUp, LONGEST_MS).unref();
        waiting.set(id, {
          resolve: (pictures) => {
            clearTimeout(late);
            resolve(pictures);
          },
          reject: (error) => {
            clearTimeout(late);
            reject(error);
          },
        });
        const { zpl, widthMm, heightMm, dpmm } = label;
        worker.postMessage({ id, zpl, widthMm, heightMm, dpmm } satisfies Order);
        clearTimeout(idle);
        idle = setTimeout(() => {
          if (waiting.size === 0) void close();
        }, IDLE_MS).unref();
      }),
    close,
  };
}

if (parentPort) {
  const port = parentPort;
  const { ready } = await import("zpl-renderer-js");
  const { api } = await ready;
  port.on("message", async ({ id, zpl, widthMm, heightMm, dpmm }: Order) => {
    try {
      const encoded = await api.zplToBase64MultipleAsync(zpl, widthMm, heightMm, dpmm);
      const pictures = encoded.map((text) => new Uint8Array(Buffer.from(text, "base64")));
      port.postMessage({ id, pictures } satisfies Result);
    } catch (error) {
      port.postMessage({ id, problem: String((error as Error)?.message ?? error) } satisfies Result);
    }
  });
}
