import { type Static, type TSchema, Type } from "typebox";
import { BridgeError } from "../domain/errors.ts";
import { JobStatus } from "../domain/job.ts";
import { License } from "../domain/license.ts";
import { Limits } from "../domain/limits.ts";
import { Language, Printer, PrinterStatus } from "../domain/printer.ts";
import type { OriginRecord } from "../domain/registry.ts";
import type { Bridge } from "./bridge.ts";
import { MAX_VALUES } from "./json-shape.ts";

export const PROTOCOL_VERSION = 1;

export const EVENTS = ["job.update", "printer.status"] as const;
export type EventName = (typeof EVENTS)[number];

/** What a method may know of the connection it was called on. */
export interface Caller {
  /** The web origin that the browser vouches for; a program that is no browser has none. */
  readonly originHeader: string | undefined;
  /** Who is speaking, once that is settled. */
  readonly origin: OriginRecord | undefined;
  /** Remembers whom the token stands for; throws where it is not valid for this caller. */
  authenticate(token: string): OriginRecord;
  subscribe(subscription: {
    events: readonly EventName[];
    printers?: readonly string[];
    jobs?: readonly string[];
    sinceSeq?: number;
  }): {
    seq: number;
    complete: boolean;
  };
}

interface Method<P extends TSchema, R extends TSchema> {
  readonly about: string;
  /** Answered before the caller has shown a token. */
  readonly beforeAuth: boolean;
  readonly params: P;
  readonly result: R;
  readonly handle: (bridge: Bridge, caller: Caller, params: Static<P>) => Static<R> | Promise<Static<R>>;
}

const method = <P extends TSchema, R extends TSchema>(definition: Method<P, R>): Method<P, R> => definition;
const closed = { additionalProperties: false } as const;

const Alias = Type.String({ minLength: 1, maxLength: 120 });
const Key = Type.String({
  minLength: 1,
  maxLength: 200,
  // Half of a surrogate pair cannot be stored: two keys that differ in it would be one.
  pattern: "^\\P{Cs}*$",
  description: "The same key from the same origin is the same job.",
});
const JobId = Type.Object({ jobId: Type.String() });

const TemplateInfo = Type.Object({
  id: Type.String(),
  name: Type.String(),
  language: Language,
  dpmm: Type.Integer(),
  placeholders: Type.Array(Type.Integer()),
  rfid: Type.Boolean(),
  version: Type.Integer(),
});

export const RawParams = Type.Object(
  {
    printer: Alias,
    data: Type.String(),
    encoding: Type.Optional(Type.Enum(["utf8", "base64", "hex"], { default: "utf8" })),
    copies: Type.Optional(Type.Integer({ minimum: 1, default: 1 })),
    idempotencyKey: Type.Optional(Key),
  },
  closed,
);

function known(caller: Caller): OriginRecord {
  const { origin } = caller;
  if (!origin) throw new BridgeError("AUTH_REQUIRED", "Call auth with this origin's token first.");
  return origin;
}

/** The protocol: every method, what it takes, what it gives. */
export const METHODS = {
  hello: method({
    about:
      "The handshake. `pairing` is the claim a page was given; once it is approved, the token comes with the answer, one time. An approved origin whose browser has no token sends an empty `pairing` and is answered with an offer.",
    beforeAuth: true,
    params: Type.Object(
      {
        appName: Type.Optional(Type.String({ maxLength: 120 })),
        pairing: Type.Optional(Type.String({ maxLength: 200 })),
      },
      closed,
    ),
    result: Type.Object({
      server: Type.String(),
      version: Type.String(),
      protocol: Type.Integer(),
      authRequired: Type.Boolean(),
      license: License,
      limits: Limits,
      token: Type.Optional(Type.String()),
      pairing: Type.Optional(
        Type.Object({ claim: Type.String(), code: Type.String(), expiresAt: Type.String() }),
      ),
    }),
    handle: (bridge, caller, { appName = "", pairing }) => {
      const page = caller.originHeader;
      const token = pairing && page ? bridge.access.redeem(pairing, page) : undefined;
      const asks = pairing !== undefined && page && !token && !caller.origin;
      const offer = asks ? bridge.access.offerPairing(page, appName, pairing) : undefined;
      return {
        server: "frontdesk-print",
        version: bridge.version,
        protocol: PROTOCOL_VERSION,
        authRequired: caller.origin === undefined,
        license: bridge.license(),
        limits: bridge.limits,
        ...(token ? { token } : {}),
        ...(offer ? { pairing: offer } : {}),
      };
    },
  }),
  auth: method({
    about: "Presents the origin's token.",
    beforeAuth: true,
    params: Type.Object({ token: Type.String({ maxLength: 400 }) }, closed),
    result: Type.Object({ origin: Type.String(), printers: Type.Array(Type.String()) }),
    handle: (bridge, caller, { token }) => {
      const origin = caller.authenticate(token);
      return { origin: origin.origin, printers: bridge.access.printersOf(origin).map(({ alias }) => alias) };
    },
  }),
  ping: method({
    about: "Keeps the connection alive.",
    beforeAuth: true,
    params: Type.Object({}, closed),
    result: Type.Object({ pong: Type.Literal(true), time: Type.String({ format: "date-time" }) }),
    handle: (bridge) => ({ pong: true as const, time: new Date(bridge.clock.now()).toISOString() }),
  }),
  "printers.list": method({
    about: "The printers this origin may use, under the names it was given.",
    beforeAuth: false,
    params: Type.Object({}, closed),
    result: Type.Object({ printers: Type.Array(Printer) }),
    handle: (bridge, caller) => ({ printers: bridge.service.printers(known(caller)) }),
  }),
  "printers.status": method({
    about: "Asks the printer itself how it is.",
    beforeAuth: false,
    params: Type.Object({ printer: Alias }, closed),
    result: PrinterStatus,
    handle: (bridge, caller, { printer }) => bridge.service.status(known(caller), printer),
  }),
  "print.raw": method({
    about: "Prints data in the printer's own language. Answers when the job cannot be lost any more.",
    beforeAuth: false,
    params: RawParams,
    result: JobId,
    handle: (bridge, caller, { encoding = "utf8", copies = 1, ...rest }) =>
      bridge.service.printRaw(known(caller), { ...rest, encoding, copies }, () => known(caller)),
  }),
  "print.template": method({
    about: "Prints a stored template, once for each entry of `labels`.",
    beforeAuth: false,
    params: Type.Object(
      {
        printer: Alias,
        template: Type.String({ minLength: 1, maxLength: 120 }),
        labels: Type.Array(
          Type.Object(
            { params: Type.Array(Type.String({ maxLength: 4096 }), { maxItems: MAX_VALUES }) },
            closed,
          ),
          { minItems: 1 },
        ),
        idempotencyKey: Type.Optional(Key),
      },
      closed,
    ),
    result: JobId,
    handle: (bridge, caller, params) =>
      bridge.service.printTemplate(known(caller), params, () => known(caller)),
  }),
  "job.get": method({
    about: "How a job stands now.",
    beforeAuth: false,
    params: Type.Object({ jobId: Type.String({ maxLength: 120 }) }, closed),
    result: JobStatus,
    handle: (bridge, caller, { jobId }) => bridge.service.job(known(caller), jobId),
  }),
  "job.cancel": method({
    about: "Always an error: JOB_UNKNOWN for a job that is not the caller's, else JOB_NOT_CANCELLABLE.",
    beforeAuth: false,
    params: Type.Object({ jobId: Type.String({ maxLength: 120 }) }, closed),
    result: Type.Never(),
    handle: (bridge, caller, { jobId }) => bridge.service.cancel(known(caller), jobId),
  }),
  subscribe: method({
    about:
      "Chooses which events are pushed. With `sinceSeq` what was missed since that number is pushed first; `complete` is false when some of it is no longer kept.",
    beforeAuth: false,
    params: Type.Object(
      {
        events: Type.Optional(Type.Array(Type.Enum([...EVENTS]), { maxItems: 10 })),
        printers: Type.Optional(Type.Array(Alias, { maxItems: 500 })),
        jobs: Type.Optional(Type.Array(Type.String({ maxLength: 120 }), { maxItems: 500 })),
        sinceSeq: Type.Optional(Type.Integer({ minimum: 0 })),
      },
      closed,
    ),
    result: Type.Object({ events: Type.Array(Type.String()), seq: Type.Integer(), complete: Type.Boolean() }),
    handle: (_bridge, caller, params) => {
      known(caller);
      const events = params.events ?? [...EVENTS];
      return { events, ...caller.subscribe({ ...params, events }) };
    },
  }),
  "templates.list": method({
    about: "The stored templates; with `printer`, those that fit it.",
    beforeAuth: false,
    params: Type.Object({ printer: Type.Optional(Alias) }, closed),
    result: Type.Object({ templates: Type.Array(TemplateInfo) }),
    handle: (bridge, caller, { printer }) => ({
      templates: bridge.service.templates(known(caller), printer),
    }),
  }),
} as const;

export type MethodName = keyof typeof METHODS;
