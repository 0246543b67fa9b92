import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import {
  type AnswerRecord,
  decodeReply,
  encodeQuery,
  encodeUpdate,
  type Opcode,
  type Rcode,
  type Reply,
  type Update,
} from "./dns-message.ts";
import { askOverTcp } from "./tcp-question.ts";
import { sign, type TsigKey, type Untrusted, type Verified, verify } from "./tsig.ts";

export interface DnsServer {
  readonly host: string;
  readonly port: number;
  readonly key: TsigKey | undefined;
}

export type Answer =
  /** `records`: of a question, what there is; undefined when that did not fit into a datagram, and could not be had over TCP. */
  | {
      readonly kind: "answered";
      readonly rcode: Rcode;
      readonly records?: readonly AnswerRecord[] | undefined;
    }
  | { readonly kind: "silent" }
  /** Somebody answered, but nobody who has the key. */
  | { readonly kind: "untrusted"; readonly error: Untrusted }
  /** The server did not accept our signature. */
  | { readonly kind: "unaccepted"; readonly error: string };

export interface ExchangeOptions {
  /** Milliseconds of the wall clock. */
  readonly now: () => number;
  readonly waitMs?: number;
  readonly tries?: number;
  /** A server's clock differs from ours by so many seconds. */
  readonly onSkew?: (server: DnsServer, seconds: number) => void;
}

const whereOf = ({ host, port }: DnsServer) => `${host} ${port}`;

/** Sends updates and questions to DNS servers and tells what each said. A clock that differs is allowed for, and told. */
export function createUpdateExchange({ now, waitMs = 2000, tries = 3, onSkew }: ExchangeOptions) {
  const skews = new Map<string, number>();

  async function once(server: DnsServer, opcode: Opcode, encode: Encode): Promise<Answer | "bad-time"> {
    const id = randomInt(0x10000);
    const plain = encode(id);
    const { key } = server;
    const skew = skews.get(whereOf(server)) ?? 0;
    const seconds = Math.floor(now() / 1000) + skew;
    const signed = key && sign(plain, key, seconds);
    /** RFC 8945 section 5.3: what is not from who has the key is no answer; the true one may still come. */
    let ignored: Untrusted | undefined;
    const judge = (bytes: Uint8Array): Answer | "bad-time" | undefined => {
      const reply = decodeReply(bytes, id, opcode);
      if (!reply) return undefined;
      const verified: Verified = signed ? verify(reply, key, signed.mac, seconds) : { ok: true };
      if (verified.ok) return reply.rcode && answered(reply.rcode, reply, opcode);
      const { error, serverTime } = verified;
      if (serverTime !== undefined) return adjust(server, serverTime, skew);
      if (error !== "unsigned" && error !== "forged" && error !== "outdated")
        return { kind: "unaccepted", error };
      ignored = error;
      return undefined;
    };
    const message = signed?.message ?? plain;
    const answer = await transmit(server, message, judge);
    if (opcode === "query" && isCut(answer)) {
      const whole = await askOverTcp(server, message, waitMs);
      return (whole && judge(whole)) ?? answer;
    }
    return answer ?? (ignored ? { kind: "untrusted", error: ignored } : { kind: "silent" });
  }

  /** Signs by the server's clock from now on; one that refuses what was signed by it already takes nothing. */
  function adjust(server: DnsServer, serverTime: number, before: number): Answer | "bad-time" {
    const skew = serverTime - Math.floor(now() / 1000);
    if (skew === before) return { kind: "unaccepted", error: "BADTIME" };
    skews.set(whereOf(server), skew);
    onSkew?.(server, skew);
    return "bad-time";
  }

  /** One datagram until a reply to it is accepted, asked again where none comes. */
  async function transmit<T>(
    server: DnsServer,
    message: Uint8Array,
    judge: (reply: Uint8Array) => T | undefined,
  ): Promise<T | undefined> {
    const socket = createSocket(server.host.includes(":") ? "udp6" : "udp4");
    try {
      return await new Promise((resolve, reject) => {
        let left = tries;
        let timer: NodeJS.Timeout | undefined;
        const end = (answer?: T) => {
          clearTimeout(timer);
          resolve(answer);
        };
        /** Where there is no way to the server, connecting fails: nothing can be sent then. */
        const send = (failure?: Error) => {
          if (failure || left-- === 0) return end();
          socket.send(message, () => {});
          timer = setTimeout(send, waitMs);
        };
        socket.on("error", () => end());
        socket.on("message", (bytes) => {
          try {
            const answer = judge(bytes);
            if (answer !== undefined) end(answer);
          } catch (error) {
            clearTimeout(timer);
            reject(error);
          }
        });
        socket.connect(server.port, server.host, send as () => void);
      });
    } finally {
      socket.close();
    }
  }

  async function exchange(server: DnsServer, opcode: Opcode, encode: Encode): Promise<Answer> {
    const answer = await once(server, opcode, encode);
    // Once more by the server's clock: that is no failure of what is sent.
    if (answer !== "bad-time") return answer;
    const again = await once(server, opcode, encode);
    return again === "bad-time" ? { kind: "unaccepted", error: "BADTIME" } : again;
  }

  return {
    send: (server: DnsServer, update: Update) => exchange(server, "update", (id) => encodeUpdate(id, update)),
    /** What the server itself has of a name. */
    query: (server: DnsServer, name: string, type: number) =>
      exchange(server, "query", (id) => encodeQuery(id, name, type)),
  };
}

type Encode = (id: number) => Uint8Array;

const answered = (rcode: Rcode, { answers, isCut }: Reply, opcode: Opcode): Answer =>
  opcode === "update"
    ? { kind: "answered", rcode }
    : { kind: "answered", rcode, records: isCut ? undefined : answers };

const isCut = (answer: Answer | "bad-time" | undefined): answer is Extract<Answer, { kind: "answered" }> =>
  typeof answer === "object" && answer.kind === "answered" && answer.records === undefined;

export type UpdateExchange = ReturnType<typeof createUpdateExchange>;
