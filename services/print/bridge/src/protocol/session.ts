import { validationErrors } from "@frontdesk/kit/validation-errors";
import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";
import { BridgeError, type ErrorCode } from "../domain/errors.ts";
import type { OriginRecord } from "../domain/registry.ts";
import type { Bridge } from "./bridge.ts";
import { type FeedWire, openEventFeed } from "./event-feed.ts";
import { hasShapeOfRequest } from "./json-shape.ts";
import { type Caller, METHODS, type MethodName, PROTOCOL_VERSION } from "./methods.ts";
import { createTokenBucket } from "./token-bucket.ts";

/** The wire under a session. */
export interface Wire extends FeedWire {
  close(code: number, reason: string): void;
  /** Reads nothing for a while: who sends too much waits in its own buffers. */
  pause(milliseconds: number): void;
}

export interface Session {
  /** Answers a frame. Never rejects: whatever fails is answered INTERNAL and logged. */
  receive(frame: Uint8Array): Promise<void>;
  /** A frame came that is over the limit. */
  tooLarge(limit: number): void;
  /** Whether the caller has shown who it is, and still may. */
  readonly authenticated: boolean;
  close(): void;
}

export const CLOSE_ORIGIN_DENIED = 4403;

const EnvelopeSchema = Type.Object(
  {
    v: Type.Integer(),
    id: Type.String({ minLength: 1, maxLength: 200 }),
    method: Type.String({ maxLength: 120 }),
    params: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
);
const Envelope = Compile(EnvelopeSchema);

const PARAMS = Object.fromEntries(
  Object.entries(METHODS).map(([name, { params }]) => [name, Compile(params)]),
) as unknown as Record<MethodName, { Check(value: unknown): boolean }>;

/** Frames up to this size are read for their id when there is no room for them in the rate limit. */
const MAX_REFUSED_PARSE = 4_096;
/** Of one that is not read the id is looked for where most clients write it, so that they know which request was refused. */
const ID_IN_FRONT = /^\{\s{0,8}"v"\s{0,8}:\s{0,8}\d{1,9}\s{0,8},\s{0,8}"id"\s{0,8}:\s{0,8}"([^"\\]{1,200})"/;
const MAX_FRONT = 1_024;
/** How soon a page that found no place among those that ask to be let in may ask again. */
const CROWDED_RETRY_MS = 2_000;
let connections = 0;

/** One connection: what it has shown of itself, what it wants to hear, and its share of the bridge's time. */
export function openSession(bridge: Bridge, wire: Wire, originHeader: string | undefined): Session {
  const bucket = createTokenBucket(bridge.clock, bridge.limits.requestsPerSecond, bridge.limits.burst);
  /** Who has to wait after too many wrong tokens: the origin, or a program by its connection. */
  const failing = originHeader ?? `connection ${++connections}`;
  let tokenHash: string | undefined;
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

  /** Looked up for each frame and each event: a revoked token or origin is out at once. */
  function currentOrigin(): OriginRecord | undefined {
    const admitted = originHeader === undefined ? undefined : bridge.access.origin(originHeader);
    if (originHeader !== undefined && !admitted) return undefined;
    if (tokenHash !== undefined) {
      const owner = bridge.access.originOfToken(tokenHash);
      if (owner) return owner;
    }
    return admitted?.open ? admitted : undefined;
  }

  const feed = openEventFeed(bridge, wire, currentOrigin);
  const caller: Caller = {
    originHeader,
    get origin() {
      return currentOrigin();
    },
    authenticate: (token) => {
      const proof = bridge.access.authenticate(token, originHeader, failing);
      tokenHash = proof.tokenHash;
      return proof.owner;
    },
    subscribe: feed.subscribe,
  };

  /** The page's first frame is answered so that it learns why; browsers would hide a refused handshake. */
  function turnAway(origin: string, frame: unknown): void {
    const known = Envelope.Check(frame) ? frame : undefined;
    const details = known?.method === "hello" ? offerPairing(origin, known.params) : undefined;
    const isCrowded = details !== undefined && "crowded" in details;
    const message = isCrowded
      ? "This origin has not been allowed to print here, and as many pages as may ask do; try again."
      : "This origin has not been allowed to print here.";
    refuse(known?.id ?? null, "ORIGIN_DENIED", message, isCrowded, details);
    closed = true;
    feed.close();
    wire.close(CLOSE_ORIGIN_DENIED, "origin denied");
  }

  function offerPairing(origin: string, params: unknown) {
    if (!PARAMS.hello.Check(params ?? {})) return undefined;
    const { appName = "", pairing } = (params ?? {}) as { appName?: string; pairing?: string };
    const offer = bridge.access.offerPairing(origin, appName, pairing);
    if (offer) return { pairing: offer };
    return bridge.access.mayAsk(origin) ? { crowded: true, retryAfterMs: CROWDED_RETRY_MS } : undefined;
  }

  async function receive(bytes: Uint8Array): Promise<void> {
    if (closed) return;
    let id: string | null = null;
    try {
      if (!bucket.take(bytes.length)) {
        const retryAfterMs = bucket.retryAfterMs();
        const isSmall = bytes.length <= MAX_REFUSED_PARSE;
        const frame = isSmall && hasShapeOfRequest(bytes, bridge.limits) ? parse(bytes) : undefined;
        id = Envelope.Check(frame) ? frame.id : isSmall ? null : idInFront(bytes);
        if (!isSmall) wire.pause(retryAfterMs);
        return refuse(id, "RATE_LIMITED", "Too many requests.", true, { retryAfterMs });
      }
      const isRead = hasShapeOfRequest(bytes, bridge.limits);
      const frame = isRead ? parse(bytes) : undefined;
      if (originHeader !== undefined && !bridge.access.origin(originHeader)) {
        return turnAway(originHeader, frame);
      }
      if (!isRead) {
        const message = "The frame has more levels, parts or values than requests have.";
        return refuse(idInFront(bytes), "PROTOCOL_ERROR", message, false);
      }
      if (!Envelope.Check(frame)) {
        return refuse(null, "PROTOCOL_ERROR", "A frame must be {v, id, method, params} in JSON.", false);
      }
      ({ id } = frame);
      await answer(frame);
    } catch (error) {
      if (error instanceof BridgeError) return refuseWith(id, error);
      bridge.log.error({ err: error }, "request failed");
      refuse(id, "INTERNAL", "The bridge failed; its log says why.", true);
    }
  }

  async function answer({ v, id, method: asked, params = {} }: Static<typeof EnvelopeSchema>): Promise<void> {
    if (v !== PROTOCOL_VERSION) {
      throw new BridgeError("PROTOCOL_ERROR", `Version ${v} is not spoken here.`, {
        versions: [PROTOCOL_VERSION],
      });
    }
    if (!Object.hasOwn(METHODS, asked)) {
      throw new BridgeError("PROTOCOL_ERROR", `There is no method "${asked}".`);
    }
    const name = asked as MethodName;
    const method = METHODS[name];
    if (!method.beforeAuth && !caller.origin) {
      throw new BridgeError("AUTH_REQUIRED", "Call auth with this origin's token first.");
    }
    if (!PARAMS[name].Check(params)) {
      const errors = validationErrors(method.params, params).slice(0, 10);
      const problems = errors.map((error) => `${error.instancePath || "params"} ${error.message}`);
      throw new BridgeError("PROTOCOL_ERROR", `The params of ${name} are not right.`, { problems });
    }
    const handle = method.handle as (bridge: Bridge, caller: Caller, params: unknown) => unknown;
    const result = handle(bridge, caller, params);
    // In the same turn where it can be: the next frame is looked at when it is known how much waits to be read.
    send({ id, result: result instanceof Promise ? await result : result });
  }

  return {
    receive,
    get authenticated() {
      try {
        return currentOrigin() !== undefined;
      } catch (error) {
        bridge.log.error({ err: error }, "origin not read");
        return false;
      }
    },
    tooLarge: (limit) => {
      if (closed) return;
      // Whoever sends too much waits, and is told why all the same: it would be waiting for an answer.
      if (!bucket.take(limit)) wire.pause(bucket.retryAfterMs());
      refuse(null, "PAYLOAD_TOO_LARGE", `A frame has at most ${limit} bytes.`, false, { limit });
    },
    close: () => {
      closed = true;
      feed.close();
    },
  };
}

function idInFront(bytes: Uint8Array): string | null {
  const front = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_FRONT)).toString();
  return ID_IN_FRONT.exec(front)?.[1] ?? null;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
  } catch {
    return undefined;
  }
}
