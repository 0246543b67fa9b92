import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { decodeReply, encodeUpdate, type Rcode, type Update } from "./dns-message.ts";
import { sign, type TsigKey, verify } from "./tsig.ts";

export interface DnsServer {
  readonly host: string;
  readonly port: number;
  readonly key: TsigKey | undefined;
}

export type Answer =
  | { readonly kind: "answered"; readonly rcode: Rcode }
  | { readonly kind: "silent" }
  /** Nobody who has the key answered, or the server did not accept ours. */
  | { readonly kind: "untrusted"; readonly error: string };

export interface ExchangeOptions {
  /** Milliseconds of the wall clock. */
  readonly now: () => number;
  readonly waitMs?: number;
  readonly tries?: number;
  /** A server's clock differs from ours by so many seconds. */
  readonly onSkew?: (server: DnsServer, seconds: number) => void;
}

/** Sends updates to DNS servers and tells what each said. A clock that differs is allowed for, and told. */
export function createUpdateExchange({ now, waitMs = 2000, tries = 3, onSkew }: ExchangeOptions) {
  const skews = new Map<string, number>();

  async function once(server: DnsServer, update: Update): Promise<Answer | "bad-time"> {
    const id = randomInt(0x10000);
    const plain = encodeUpdate(id, update);
    const { key } = server;
    const where = `${server.host} ${server.port}`;
    const seconds = Math.floor(now() / 1000) + (skews.get(where) ?? 0);
    const signed = key && sign(plain, key, seconds);
    const bytes = await transmit(server, signed?.message ?? plain, id);
    const reply = bytes && decodeReply(bytes);
    if (!reply) return { kind: "silent" };
    if (key && signed) {
      const verified = verify(reply, key, signed.mac);
      if (!verified.ok && verified.error === "BADTIME" && verified.serverTime !== undefined) {
        const skew = verified.serverTime - Math.floor(now() / 1000);
        if (skews.get(where) === skew) return { kind: "untrusted", error: "BADTIME" };
        skews.set(where, skew);
        onSkew?.(server, skew);
        return "bad-time";
      }
      // A refusal of the zone's policy may come unsigned: it promises nothing, so it can be believed.
      const isPlainRefusal = !verified.ok && verified.error === "unsigned" && reply.rcode === "REFUSED";
      if (!verified.ok && !isPlainRefusal) return { kind: "untrusted", error: verified.error };
    }
    return reply.rcode ? { kind: "answered", rcode: reply.rcode } : { kind: "silent" };
  }

  /** One datagram and its reply, asked again where none comes. */
  async function transmit(
    server: DnsServer,
    message: Uint8Array,
    id: number,
  ): Promise<Uint8Array | undefined> {
    const socket = createSocket(server.host.includes(":") ? "udp6" : "udp4");
    try {
      return await new Promise((resolve) => {
        let left = tries;
        let timer: NodeJS.Timeout | undefined;
        const end = (bytes?: Uint8Array) => {
          clearTimeout(timer);
          resolve(bytes);
        };
        const send = () => {
          if (left-- === 0) return end();
          socket.send(message, () => {});
          timer = setTimeout(send, waitMs);
        };
        socket.on("error", () => end());
        socket.on("message", (bytes) => {
          if (bytes.length >= 12 && bytes.readUInt16BE(0) === id) end(bytes);
        });
        socket.connect(server.port, server.host, send);
      });
    } finally {
      socket.close();
    }
  }

  return {
    send: async (server: DnsServer, update: Update): Promise<Answer> => {
      const answer = await once(server, update);
      // Once more by the server's clock: that is no failure of the update.
      if (answer !== "bad-time") return answer;
      const again = await once(server, update);
      return again === "bad-time" ? { kind: "untrusted", error: "BADTIME" } : again;
    },
  };
}

export type UpdateExchange = ReturnType<typeof createUpdateExchange>;
