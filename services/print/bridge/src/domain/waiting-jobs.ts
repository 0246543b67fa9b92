import { BridgeError } from "./errors.ts";
import { isFinal, type Job } from "./job.ts";
import type { Journal } from "./journal.ts";
import type { OriginRecord, Registry } from "./registry.ts";
import { createShares, type Shares } from "./shares.ts";

export interface WaitingJobsOptions {
  readonly registry: Pick<Registry, "origins">;
  readonly journal: Pick<Journal, "unfinished" | "bytes" | "listen">;
  /** Jobs of one printer that have not ended. */
  readonly maxWaiting: number;
  /** Their data, for all printers together: they share a disk. */
  readonly maxWaitingBytes: number;
}

/** Counts the jobs that have not ended, and refuses more than a printer or the disk is to hold. */
export interface WaitingJobs {
  assertRoom(origin: string, printer: string, bytes: number): void;
  /** Whether another origin may use the printer, or any printer. */
  isShared(origin: string, printer?: string): boolean;
  /** A job that is about to be written. It leaves when it has ended, or where it could not be written. */
  enter(job: Pick<Job, "id" | "origin" | "printer">, bytes: number): void;
  leave(id: string): void;
  close(): void;
}

export function createWaitingJobs(options: WaitingJobsOptions): WaitingJobs {
  const { registry, journal } = options;
  const disk = createShares(options.maxWaitingBytes);
  const printers = new Map<string, Shares>();
  const entered = new Map<string, { origin: string; places: Shares; bytes: number }>();

  function placesOf(printer: string): Shares {
    let places = printers.get(printer);
    if (!places) {
      places = createShares(options.maxWaiting);
      printers.set(printer, places);
    }
    return places;
  }

  function enter({ id, origin, printer }: Pick<Job, "id" | "origin" | "printer">, bytes: number): void {
    const places = placesOf(printer);
    entered.set(id, { origin, places, bytes });
    places.take(origin, 1);
    disk.take(origin, bytes);
  }

  function leave(id: string): void {
    const job = entered.get(id);
    if (!job || !entered.delete(id)) return;
    job.places.giveBack(job.origin, 1);
    disk.giveBack(job.origin, job.bytes);
  }

  for (const job of journal.unfinished()) enter(job, journal.bytes(job.id));
  const close = journal.listen(({ job }) => {
    if (job && isFinal(job.state)) leave(job.id);
  });

  const isShared = (origin: string, printer?: string) =>
    registry.origins.all().some((other) => other.origin !== origin && mayUse(other, printer));

  return {
    assertRoom: (origin, printer, bytes) => {
      const places = placesOf(printer);
      if (!places.hasRoom(origin, 1, () => isShared(origin, printer))) {
        const waiting = places.taken;
        const mine = places.takenBy(origin);
        throw new BridgeError(
          "RATE_LIMITED",
          waiting < options.maxWaiting
            ? `${mine} jobs of this origin wait for this printer already; there is room for those of others.`
            : `${waiting} jobs wait for this printer already.`,
          { waiting },
        );
      }
      if (!disk.hasRoom(origin, bytes, () => isShared(origin)))
        throw new BridgeError("RATE_LIMITED", "The jobs that wait already have too much data.", {
          waitingBytes: disk.taken,
        });
    },
    isShared,
    enter,
    leave,
    close,
  };
}

const mayUse = ({ state, aliases }: OriginRecord, printer: string | undefined) =>
  state === "approved" &&
  (aliases === undefined || printer === undefined || Object.values(aliases).includes(printer));
