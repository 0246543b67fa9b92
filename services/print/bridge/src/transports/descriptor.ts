import { read, write } from "node:fs";
import type { PolledDevice } from "./polled-device.ts";

type Done = (error: NodeJS.ErrnoException | null, count: number) => void;

/** Bytes to and from an open descriptor that does not block. */
export function descriptorDevice(descriptor: number): Pick<PolledDevice, "read" | "write"> {
  return {
    read: (buffer) => attempt((done) => read(descriptor, buffer, 0, buffer.length, null, done)),
    write: (bytes, from) =>
      attempt((done) => write(descriptor, bytes, from, bytes.length - from, null, done)),
  };
}

const AGAIN = new Set(["EAGAIN", "EWOULDBLOCK", "EINTR"]);

function attempt(call: (done: Done) => void): Promise<number | "again"> {
  return new Promise((resolve, reject) => {
    call((error, count) => {
      if (!error) resolve(count);
      else if (AGAIN.has(error.code ?? "")) resolve("again");
      else reject(error);
    });
  });
}
