import { connect } from "node:net";
import { u16 } from "./dns-message.ts";

/** RFC 1035 section 4.2.2: asks over TCP. The message that comes back, or undefined when none does in time. */
export function askOverTcp(
  { host, port }: { readonly host: string; readonly port: number },
  message: Uint8Array,
  waitMs: number,
): Promise<Uint8Array | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    let received = Buffer.alloc(0);
    const end = (reply?: Uint8Array) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(reply);
    };
    const timer = setTimeout(() => end(), waitMs);
    socket.on("error", () => end());
    socket.on("close", () => end());
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      const size = received.length < 2 ? undefined : 2 + received.readUInt16BE(0);
      if (size !== undefined && received.length >= size) end(received.subarray(2, size));
    });
    socket.write(Buffer.concat([u16(message.length), message]));
  });
}
