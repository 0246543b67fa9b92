import type { Clock } from "@frontdesk/kit/clock";
import type { Log } from "@frontdesk/kit/log";
import type { Access } from "../domain/access.ts";
import type { Journal } from "../domain/journal.ts";
import type { License } from "../domain/license.ts";
import type { Limits } from "../domain/limits.ts";
import type { PrintService } from "../domain/print-service.ts";

/** What the protocol needs of the rest. */
export interface Bridge {
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly access: Access;
  readonly service: PrintService;
  readonly journal: Journal;
  readonly limits: Limits;
  readonly license: () => License;
}
