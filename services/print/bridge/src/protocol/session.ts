import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { BridgeError, type ErrorCode } from "../domain/errors.ts";
import { type Job, jobStatus } from "../domain/job.ts";
import type { JournalEvent } from "../domain/journal.ts";
import type { OriginRecord } from "../domain/registry.ts";
import type { Bridge } from "./bridge.ts";
import { type Caller, type EventName, METHODS, type MethodName, PROTOCOL_VERSION } from "./methods.ts";
import { createTokenBucket } from "./token-bucket.ts";

/** The wire under a session. */
export interface Wire {
  send(text: string): void;
  close(code: number, reason: string): void;
}

export interface Session {
  receive(text: string): Promise<void>;
  /** A frame came that is over the limit. */
  tooLarge(): void;
  close(): void;
}

export const CLOSE_ORIGIN_DENIED = 4403;
const REPLAY_PAGE = 500;

const Envelope = Compile(
  Type.Object(
    {
      v: Type.Integer(),
      id: Type.String({ minLength: 1, maxLength: 200 }),
      method: Type.String({ maxLength: 120 }),
      params: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    },
    { additionalProperties: false },
  ),
);

const PARAMS = Object.fromEntries(
  Object.entries(METHODS).map(([name, { params }]) => [name, Compile(params)]),
) as unknown as Record<
  MethodName,
  { Check(value: unknown): boolean; Errors(value: unknown): Array<{ instancePath: string; message: string }> }
>;

interface Wish {
  readonly events: ReadonlySet<EventName>;
  readonly printers: ReadonlySet<string> | undefined;
  readonly jobs: ReadonlySet<string> | undefined;
}

/** One connection: what it has shown of itself, what it wants to hear, and its share of the bridge's time. */
export function openSession(bridge: Bridge, wire: Wire, originHeader: string | undefined): Session {
  const admitted = originHeader === undefined ? undefined : bridge.access.origin(originHeader);
  const bucket = createTokenBucket(bridge.clock, bridge.limits.requestsPerSecond, bridge.limits.burst);
  let speaker: string | undefined = admitted?.open ? admitted.origin : undefined;
  let wish: Wish | undefined;
  let denied = originHeader !== undefined && !admitted;
  let stopListening: (() => void) | undefined;
  let closed = false;

  const send = (frame: object) => wire.send(JSON.stringify({ v: PROTOCOL_VERSION, ...frame }));

  function refuse(
    id: string | null,
    code: ErrorCode,
    message: string,
    retryable: boolean,
    details?: object,
  ): void {
    send({ id, error: { code, message, retryable, ...(details ? { details } : {}) } });
  }

  function refuseWith(id: string | null, error: BridgeError): void {
    refuse(id, error.code, error.message, error.retryable, error.details);
  }

  /** Looked up each time, so that a revoked origin is out at once. */
  const currentOrigin = (): OriginRecord | undefined =>
    speaker === undefined ? undefined : bridge.access.origin(speaker);

  const caller: Caller = {
    originHeader,
    get origin() {
      return currentOrigin();
    },
    become: (origin) => {
      speaker = origin.origin;
    },
    subscribe: ({ events, printers, jobs, sinceSeq }) => {
      const next: Wish = {
        events: new Set(events),
        printers: printers && new Set(printers),
        jobs: jobs && new Set(jobs),
      };
      const { journal } = bridge;
      const seq = journal.lastSeq;
      const complete = sinceSeq === undefined || sinceSeq >= journal.firstSeq - 1;
      stopListening?.();
      // The answer goes out first, then what was missed, then what happens; nothing can slip between.
      setImmediate(() => replay(next, sinceSeq ?? seq));
      return { seq, complete };
    },
  };

  function replay(next: Wish, from: number): void {
    if (closed) return;
    wish = next;
    let at = from;
    for (;;) {
      const page = bridge.journal.eventsSince(at, REPLAY_PAGE);
      for (const event of page) push(event);
      at = page.at(-1)?.seq ?? at;
      if (page.length < REPLAY_PAGE) break;
    }
    stopListening = bridge.journal.listen(push);
  }

  function push(event: JournalEvent): void {
    const origin = currentOrigin();
    if (!wish?.events.has(event.event) || !origin) return;
    if (event.job) {
      if (event.origin !== origin.origin) return;
      if (wish.jobs && !wish.jobs.has(event.job.id)) return;
      if (wish.printers && !wish.printers.has(event.job.alias)) return;
      wire.send(jobFrame(event, event.job));
      return;
    }
    const alias = bridge.access
      .printersOf(origin)
      .find(({ printer }) => printer?.id === event.printer)?.alias;
    if (alias === undefined || !event.status || (wish.printers && !wish.printers.has(alias))) return;
    send({ event: event.event, data: { ...event.status, printer: alias }, seq: event.seq });
  }

  /** The page's first word is answered so that it learns why; browsers would hide a refused handshake. */
  function turnAway(text: string): void {
    const frame = parse(text);
    const id = Envelope.Check(frame) ? frame.id : null;
    const hello = Envelope.Check(frame) && frame.method === "hello";
    const appName =
      hello && typeof frame.params?.appName === "string" ? frame.params.appName.slice(0, 120) : "";
    const pairing = hello ? bridge.access.offerPairing(originHeader as string, appName) : undefined;
    refuse(
      id,
      "ORIGIN_DENIED",
      "This origin has not been allowed to print here.",
      false,
      pairing && { pairing },
    );
    wire.close(CLOSE_ORIGIN_DENIED, "origin denied");
  }

  async function receive(text: string): Promise<void> {
    if (denied) return turnAway(text);
    const frame = parse(text);
    if (!Envelope.Check(frame)) {
      return refuse(null, "PROTOCOL_ERROR", "A frame must be {v, id, method, params} in JSON.", false);
    }
    const { id, v } = frame;
    if (!bucket.take()) {
      return refuse(id, "RATE_LIMITED", "Too many requests.", true, { retryAfterMs: bucket.retryAfterMs() });
    }
    if (v !== PROTOCOL_VERSION) {
      return refuse(id, "PROTOCOL_ERROR", `Version ${v} is not spoken here.`, false, {
        versions: [PROTOCOL_VERSION],
      });
    }
    // Revoked while connected: out, as if it had just come.
    if (originHeader !== undefined && !bridge.access.origin(originHeader)) {
      denied = true;
      return turnAway(text);
    }
    if (!Object.hasOwn(METHODS, frame.method)) {
      return refuse(id, "PROTOCOL_ERROR", `There is no method "${frame.method}".`, false);
    }
    const name = frame.method as MethodName;
    const method = METHODS[name];
    if (!method.beforeAuth && !caller.origin) {
      return refuse(id, "AUTH_REQUIRED", "Call auth with this origin's token first.", false);
    }
    const params = frame.params ?? {};
    if (!PARAMS[name].Check(params)) {
      const errors = PARAMS[name].Errors(params).slice(0, 10);
      const problems = errors.map((error) => `${error.instancePath || "params"} ${error.message}`);
      return refuse(id, "PROTOCOL_ERROR", `The params of ${name} are not right.`, false, { problems });
    }
    try {
      const handle = method.handle as (bridge: Bridge, caller: Caller, params: unknown) => unknown;
      send({ id, result: await handle(bridge, caller, params) });
    } catch (error) {
      if (error instanceof BridgeError) return refuseWith(id, error);
      bridge.log.error({ err: error, method: name }, "a request failed");
      refuse(id, "INTERNAL", "The bridge failed; its log says why.", true);
    }
  }

  return {
    receive,
    tooLarge: () => {
      const limit = bridge.limits.frameBytes;
      refuse(null, "PAYLOAD_TOO_LARGE", `A frame has at most ${limit} bytes.`, false, { limit });
    },
    close: () => {
      closed = true;
      stopListening?.();
    },
  };
}

/** Many tabs hear of the same job: its frame is written once. */
const jobFrames = new WeakMap<JournalEvent, string>();
function jobFrame(event: JournalEvent, job: Job): string {
  let frame = jobFrames.get(event);
  if (frame === undefined) {
    frame = JSON.stringify({ v: PROTOCOL_VERSION, event: event.event, data: jobStatus(job), seq: event.seq });
    jobFrames.set(event, frame);
  }
  return frame;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
