import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { AdminSessions } from "../domain/admin-sessions.ts";
import type { Actor, Author } from "../domain/audit.ts";
import type { Discovery } from "../domain/discovery.ts";
import type { License } from "../domain/license.ts";
import type { PrinterRecord } from "../domain/printer.ts";
import type { PrinterQueues } from "../domain/printer-queues.ts";
import { ALL_RIGHTS, type OriginRecord, type Registry } from "../domain/registry.ts";
import type { Bridge } from "../protocol/bridge.ts";
import type { About, Tls, TrustReports } from "./admin-schemas.ts";
import { actorOf } from "./admin-session.ts";

/** What the routes of the administration have in common. */
export interface AdminOptions {
  readonly bridge: Bridge;
  readonly registry: Registry;
  readonly queues: PrinterQueues;
  readonly sessions: AdminSessions;
  /** Says what is wrong with a printer's address. */
  readonly assertAddress: (printer: PrinterRecord) => void;
  readonly discovery: Discovery;
  /** Pictures of a label, for a person to look at before it is printed. */
  readonly draw: (label: {
    zpl: string;
    widthMm: number;
    heightMm: number;
    dpmm: number;
  }) => Promise<Uint8Array[]>;
  /** The labels a virtual printer made, newest first, and the picture of one. */
  readonly labels: {
    list(printer: string): string[];
    picture(printer: string, name: string): Uint8Array | undefined;
  };
  readonly machine: {
    about(): About;
    tls(): Tls;
    authority(): string;
    trust(change: "add" | "remove", browsersOnly: boolean): Promise<TrustReports>;
    installLicense(file: string, actor: Actor): License;
    recentLog(): readonly string[];
  };
  readonly afterChange: () => void;
  /** Tells of every change of what the administrator decides, whoever made it. */
  readonly onChange: (listener: () => void) => () => void;
}

export const Id = Type.Object({ id: Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$" }) });

/** Whose jobs the console's own are: no web origin looks like this, so none can see them. */
export const CONSOLE: OriginRecord = {
  origin: "console",
  state: "approved",
  rights: ALL_RIGHTS,
  open: false,
  createdAt: 0,
};

/** Who makes a request that the gate has let pass, and when, for the audit log. */
export const authorOf = (request: FastifyRequest, { bridge, sessions }: AdminOptions): Author => ({
  actor: actorOf(request, sessions),
  at: bridge.clock.now(),
});
