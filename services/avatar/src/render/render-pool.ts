import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { refuse } from "../domain/errors.ts";
import type { Picture } from "../domain/picture.ts";
import type { Face, Faces } from "../domain/read-avatar.ts";
import { unpackPictures } from "./packed-pictures.ts";
import { type Batch, type DrawnBatch, READY } from "./render-messages.ts";

const MAX_WAITING = 2_048;
/** One that is being drawn, and one that is there when it is done. */
const BATCHES_PER_THREAD = 2;
/** A batch saves messages, which cost as much as a small drawing; a large drawing is a batch of its own. */
const FACES_PER_BATCH = 8;
const PIXELS_PER_BATCH = 64 * 1024;
const MAX_TRIES = 2;
const RESTART_DELAY_MS = 50;
const MAX_RESTART_DELAY_MS = 30_000;
/** So many threads that failed to start, one after the other, are no accident. */
const MAX_FAILED_STARTS = 4;

interface Task {
  readonly face: Face;
  readonly resolve: (picture: Picture) => void;
  readonly reject: (error: Error) => void;
  tries: number;
}

interface Thread {
  readonly worker: Worker;
  /** What it has been given and not answered yet, by number. */
  readonly batches: Map<number, Task[]>;
  ready: boolean;
}

export interface RenderPool extends Faces {
  /** For whoever wants to see a thread die. */
  readonly workers: Worker[];
  close(): Promise<void>;
}

/**
 * Draws off the event loop, on every core. A thread that dies is replaced, and what it had is drawn
 * again. Threads that die before they can draw are replaced with backoff; while none can draw, callers
 * are refused instead of kept waiting.
 */
export function createRenderPool(
  onThreadError: (error: Error) => void,
  threadFile = new URL("./render-thread.ts", import.meta.url),
): RenderPool {
  const waiting: Task[] = [];
  const threads = new Set<Thread>();
  const restarts = new Set<NodeJS.Timeout>();
  let failedStarts = 0;
  let nextNumber = 0;
  let dispatching = false;
  let closed = false;

  function hire(): void {
    const worker = new Worker(threadFile);
    const thread: Thread = { worker, batches: new Map(), ready: false };
    threads.add(thread);
    worker.on("message", (message: DrawnBatch | typeof READY) => {
      if (message === READY) {
        thread.ready = true;
        failedStarts = 0;
        return dispatch();
      }
      const tasks = thread.batches.get(message.number) ?? [];
      thread.batches.delete(message.number);
      dispatch();
      for (const [i, picture] of unpackPictures(message).entries()) settle(tasks[i] as Task, picture);
    });
    // What ends a thread by an error also makes it exit, which is where it is replaced.
    worker.on("error", onThreadError);
    worker.on("exit", () => {
      threads.delete(thread);
      for (const task of [...thread.batches.values()].flat()) drawAgain(task);
      if (!closed) replace(thread);
      dispatch();
    });
  }

  function replace(thread: Thread): void {
    if (thread.ready) {
      hire();
      return;
    }
    failedStarts += 1;
    const restart = setTimeout(
      () => {
        restarts.delete(restart);
        hire();
      },
      Math.min(MAX_RESTART_DELAY_MS, RESTART_DELAY_MS * 2 ** failedStarts),
    );
    restarts.add(restart);
    if (cannotDraw()) for (const task of waiting.splice(0)) task.reject(unavailable());
  }

  function cannotDraw(): boolean {
    return failedStarts >= MAX_FAILED_STARTS && ![...threads].some((thread) => thread.ready);
  }

  function drawAgain(task: Task): void {
    task.tries += 1;
    if (closed || task.tries >= MAX_TRIES) task.reject(new Error("the drawing thread ended"));
    else waiting.unshift(task);
  }

  function dispatch(): void {
    dispatching = false;
    const free = [...threads].filter(({ ready, batches }) => ready && batches.size < BATCHES_PER_THREAD);
    free.sort((one, other) => one.batches.size - other.batches.size);
    for (const [i, thread] of free.entries()) {
      const share = Math.ceil(waiting.length / (free.length - i));
      const batch = takeBatch(waiting, share);
      if (batch.length === 0) return;
      const number = nextNumber++;
      thread.batches.set(number, batch);
      thread.worker.postMessage({ number, faces: batch.map((task) => task.face) } satisfies Batch);
    }
  }

  for (let i = 0; i < availableParallelism(); i++) hire();
  return {
    get workers() {
      return [...threads].map((thread) => thread.worker);
    },
    draw: async (face) => {
      if (cannotDraw()) throw unavailable();
      if (waiting.length >= MAX_WAITING) throw refuse("overloaded", 1);
      return new Promise((resolve, reject) => {
        waiting.push({ face, resolve, reject, tries: 0 });
        // Requests that arrived together are drawn together.
        if (!dispatching) setImmediate(dispatch);
        dispatching = true;
      });
    },
    close: async () => {
      closed = true;
      for (const restart of restarts) clearTimeout(restart);
      for (const task of waiting.splice(0)) task.reject(unavailable());
      await Promise.all([...threads].map((thread) => thread.worker.terminate()));
    },
  };
}

function unavailable() {
  return refuse("unavailable", Math.ceil(MAX_RESTART_DELAY_MS / 1000));
}

function takeBatch(waiting: Task[], share: number): Task[] {
  let count = 0;
  for (let pixels = 0; count < Math.min(share, FACES_PER_BATCH, waiting.length); count++) {
    const { format, size } = (waiting[count] as Task).face;
    pixels += format === "png" ? size * size : 0;
    if (count > 0 && pixels > PIXELS_PER_BATCH) break;
  }
  return waiting.splice(0, count);
}

function settle(task: Task, drawn: Picture | Error): void {
  if (drawn instanceof Error) task.reject(drawn);
  else task.resolve(drawn);
}
