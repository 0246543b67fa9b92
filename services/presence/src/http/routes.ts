import type { Clock } from "@frontdesk/kit/clock";
import type { HttpServer } from "@frontdesk/kit/http-server";
import type { ReadModel } from "../domain/read-model.ts";
import type { Desk } from "../domain/unit.ts";
import type { Gate } from "./gate.ts";

/** How long a page is unless told. */
export const DEFAULT_LIMIT = 50;

/** What the routes of the integration API call. */
export interface Routes {
  readonly app: HttpServer;
  readonly desk: Desk;
  readonly reader: ReadModel;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly avatarUrl: string;
}
