import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { BridgeError } from "../domain/errors.ts";
import { NotTaken } from "../domain/spooler.ts";
import { decodeIpp, encodeIpp, GROUP, type IppGroup, type IppMessage, type IppValue } from "./ipp-codec.ts";

/** The longest answer that is read: a print server with a thousand queues stays far below. */
const MAX_ANSWER = 4 * 1024 * 1024;
/** A whole answer may take this many times as long as each step towards it. */
const ANSWER_STEPS = 5;
/**
 * So many interim answers (HTTP 1xx) are heard: each costs far more than its few bytes, and none says anything of the
 * question. A print server that works on a document tells so now and then.
 */
const MAX_INTERIM = 1_000;
/** What becomes of a question over a connection that the printer has closed. */
const HUNG_UP = new Set(["ECONNRESET", "EPIPE"]);
/** Answers by HTTP itself that refuse a document for now. */
const FOR_NOW = new Set([429, 503]);
/**
 * Whether an answer by HTTP itself says that a document was not taken. A gateway whose time was over, or a server that
 * failed in the middle, may have handed it on.
 */
const isRefusal = (status: number) => status >= 300 && status < 500 && status !== 408;
let lastRequest = 0;

/** What an answer by HTTP itself, which holds none of IPP, says of a question or a document. */
function httpAnswer(status: number, document: IppExtras["document"]): Error {
  const message = `The print server answered with HTTP ${status}.`;
  if (document && FOR_NOW.has(status)) return new NotTaken("busy", message);
  return new BridgeError(!document || isRefusal(status) ? "PRINTER_OFFLINE" : "TRANSPORT_TIMEOUT", message);
}

export interface IppOptions {
  /** ipp:// or ipps:// as the printer calls itself. */
  readonly uri: string;
  /** A socket of this machine to speak over, in place of the address in the URI. */
  readonly socketPath?: string;
  readonly connectMs: number;
  readonly readMs: number;
  /** How long a printer that is given a document may make no progress, or take to answer for it. */
  readonly hangUpMs?: number;
}

export interface IppExtras {
  readonly document?: Iterable<Uint8Array>;
  /** Ends the question, whatever has come of its answer. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Not over a connection that was kept: the printer may be closing it this moment. A document never goes over one, for
   * nobody could tell what became of it.
   */
  readonly isFresh?: boolean;
}

/** Asks one question of an IPP printer, or of CUPS, which speaks the same. */
export function askIpp(
  options: IppOptions,
  operation: number,
  more: IppGroup["attributes"],
  { document, signal, isFresh = false }: IppExtras = {},
): Promise<IppMessage> {
  const uri = URL.parse(options.uri);
  const attributes: IppGroup["attributes"] = {
    "attributes-charset": [{ tag: "charset", value: "utf-8" }],
    "attributes-natural-language": [{ tag: "language", value: "en" }],
    "printer-uri": [{ tag: "uri", value: options.uri }],
    ...more,
  };
  const head = encodeIpp({
    code: operation,
    requestId: ++lastRequest,
    groups: [{ tag: GROUP.operation, attributes }],
  });
  return new Promise((resolve, reject) => {
    const secure = uri?.protocol === "ipps:";
    const where = options.socketPath
      ? { socketPath: options.socketPath }
      : { host: uri?.hostname.replace(/^\[|\]$/g, ""), port: Number(uri?.port || 631) };
    const connection = (secure ? httpsRequest : httpRequest)({
      ...where,
      method: "POST",
      path: uri?.pathname || "/",
      headers: { "content-type": "application/ipp", ...(options.socketPath ? { host: "localhost" } : {}) },
      ...(signal ? { signal } : {}),
      ...(document || isFresh ? { agent: false } : {}),
      // Printers sign their own certificates; the job is protected from listening, not from impostors.
      ...(secure ? { rejectUnauthorized: false } : {}),
    });
    let wrote = false;
    // Each step has its own time: the connection, and then every read and write that makes no progress.
    const connecting = setTimeout(() => connection.destroy(new Error("timeout")), options.connectMs);
    // A document lies in buffers on its way, where nobody sees how it goes on, so it is given more time.
    const idleMs = document ? Math.max(options.readMs, options.hangUpMs ?? 0) : options.readMs;
    connection.setTimeout(idleMs, () => {
      if (wrote) connection.destroy(new Error("timeout"));
    });
    // A few bytes now and then are progress, and no answer: once all is sent, the whole of it has a time too.
    let answering: NodeJS.Timeout | undefined;
    const awaitAnswer = () => {
      const wholeMs = idleMs + (ANSWER_STEPS - 1) * options.readMs;
      answering ??= setTimeout(() => connection.destroy(new Error("timeout")), wholeMs);
    };
    connection.on("finish", awaitAnswer);
    connection.on("close", () => {
      clearTimeout(connecting);
      clearTimeout(answering);
    });
    const connected = () => {
      clearTimeout(connecting);
      wrote = true;
    };
    connection.on("socket", (socket) => {
      // A connection that was kept is open already.
      if (!socket.connecting) connected();
      else socket.once(secure ? "secureConnect" : "connect", connected);
    });
    connection.on("error", (error: NodeJS.ErrnoException) => {
      if (connection.reusedSocket && HUNG_UP.has(error.code ?? ""))
        return resolve(askIpp(options, operation, more, { signal, isFresh: true }));
      const message = `The print server does not answer (${error.code ?? error.message}).`;
      // Of a document of which no byte could leave, nothing was taken.
      if (!wrote && document) reject(new NotTaken("offline", message));
      else reject(new BridgeError(wrote ? "TRANSPORT_TIMEOUT" : "PRINTER_OFFLINE", message));
    });
    let interim = 0;
    connection.on("information", () => {
      if (++interim > MAX_INTERIM) connection.destroy(new Error("only interim answers"));
    });
    // It goes on in another protocol, unasked: there is neither an error nor a response then.
    connection.on("upgrade", ({ statusCode = 0 }, socket) => {
      socket.destroy();
      reject(httpAnswer(statusCode, document));
    });
    connection.on("response", async (response) => {
      const pieces: Buffer[] = [];
      let length = 0;
      try {
        if (document && response.statusCode === 200) await untilAllLeft(connection, response);
        awaitAnswer();
        for await (const piece of response) {
          length += piece.length;
          if (length > MAX_ANSWER) throw new Error("the answer has no end");
          pieces.push(piece);
        }
        if (response.statusCode !== 200) return reject(httpAnswer(response.statusCode ?? 0, document));
        resolve(decodeIpp(Buffer.concat(pieces)));
      } catch {
        reject(new BridgeError("TRANSPORT_TIMEOUT", "The print server did not finish its answer."));
      }
    });
    Readable.from(inPieces([head, ...(document ?? [])])).pipe(connection);
  });
}

/**
 * Some print servers answer for a document before they have read all of it. Node ends the connection when an answer is
 * read to its end, which would cut the document off: one that does not refuse it is left unread until then. Nor does it
 * tell any more when the connection takes further bytes, once all of an answer has come.
 */
async function untilAllLeft(connection: ClientRequest, response: IncomingMessage): Promise<void> {
  if (connection.writableFinished) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const look = () => {
    const head: Buffer | null = response.read(STATUS_END);
    if (!head) return;
    response.off("readable", look);
    response.unshift(head);
    if (head.length < STATUS_END || head.readUInt16BE(STATUS_END - 2) >= FIRST_ERROR) resolve();
  };
  response.on("readable", look);
  connection.once("finish", resolve);
  connection.socket?.on("drain", () => connection.emit("drain"));
  for (const stream of [connection, response])
    stream.once("close", () => reject(new Error("the document was cut off")));
  await promise.finally(() => response.off("readable", look));
}

/** Small enough that a slow printer makes progress with each. */
const PIECE = 64 * 1024;

function* inPieces(parts: Iterable<Uint8Array>): Generator<Uint8Array> {
  for (const part of parts)
    for (let at = 0; at < part.length; at += PIECE) yield part.subarray(at, at + PIECE);
}

/** An answer begins with its version and its code, of two bytes each. */
const STATUS_END = 4;
/** From this code on an answer is a refusal (RFC 8011, B.1). */
export const FIRST_ERROR = 0x0400;

export const textsOf = (values: readonly IppValue[] | undefined) =>
  (values ?? []).map(({ value }) => String(value));
