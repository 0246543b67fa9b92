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
/** A label that takes longer is not a label: the thread is given up, and whoever waits for it is told. */
const MAX_DRAWING_MS = 20_000;

interface Waiting {
  readonly order: Order;
  readonly resolve: (pictures: Uint8Array[]) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Draws ZPL with a WebAssembly renderer, on a thread of its own: drawing takes long enough to be
 * felt by everyone else. The thread comes with the first label and goes when nothing is drawn. Labels are
 * drawn one after another, each with its own time: one that never ends costs nobody else their label.
 */
export function createLabelRenderer(maxDrawingMs = MAX_DRAWING_MS): LabelRenderer {
  const queue: Waiting[] = [];
  let worker: Worker | undefined;
  let drawing: Waiting | undefined;
  let limit: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;

  function start(): Worker {
    const thread = new Worker(new URL(import.meta.url), { stdout: true });
    thread.on("message", (result: Result) => {
      if (thread !== worker || result.id !== drawing?.order.id) return;
      const done = drawing;
      finish();
      if ("pictures" in result) done.resolve(result.pictures);
      else done.reject(new Error(result.problem));
      next();
    });
    thread.on("error", (error: Error) => {
      if (thread === worker) giveUp(error);
    });
    return thread;
  }

  function next(): void {
    clearTimeout(idle);
    if (drawing) return;
    drawing = queue.shift();
    if (!drawing) {
      idle = setTimeout(() => void stop(), IDLE_MS).unref();
      return;
    }
    limit = setTimeout(() => giveUp(new Error("it took too long")), maxDrawingMs).unref();
    worker ??= start();
    worker.postMessage(drawing.order);
  }

  function finish(): void {
    clearTimeout(limit);
    drawing = undefined;
  }

  /** The label that is being drawn fails; those behind it are drawn by a new thread. */
  function giveUp(error: Error): void {
    const failed = drawing;
    finish();
    void stop();
    failed?.reject(error);
    next();
  }

  async function stop(): Promise<void> {
    const thread = worker;
    worker = undefined;
    await thread?.terminate();
  }

  return {
    render: ({ zpl, widthMm, heightMm, dpmm }) =>
      new Promise((resolve, reject) => {
        queue.push({ order: { id: ++lastId, zpl, widthMm, heightMm, dpmm }, resolve, reject });
        next();
      }),
    close: async () => {
      const waiting = [...(drawing ? [drawing] : []), ...queue.splice(0)];
      finish();
      clearTimeout(idle);
      for (const { reject } of waiting) reject(new Error("the bridge is closing"));
      await stop();
    },
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
