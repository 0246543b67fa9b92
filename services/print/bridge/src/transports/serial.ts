import { SerialPort } from "serialport";
import type { Channel, OpenChannel } from "../domain/channel.ts";
import { BridgeError } from "../domain/errors.ts";
import type { SerialOptions } from "./serial-address.ts";

export function serialTransport({ path, baudRate }: SerialOptions): OpenChannel {
  return () =>
    new Promise((resolve, reject) => {
      const port = new SerialPort({ path, baudRate, autoOpen: false, hupcl: false });
      port.open((error) => {
        if (error)
          reject(
            new BridgeError("PRINTER_OFFLINE", `The printer at ${path} cannot be opened (${error.message}).`),
          );
        else resolve(portChannel(port));
      });
    });
}

function portChannel(port: SerialPort): Channel {
  const endings: Array<() => void> = [];
  let over = false;
  const finish = () => {
    if (over) return;
    over = true;
    for (const tell of endings.splice(0)) tell();
  };
  port.on("close", finish);
  port.on("error", () => port.close(() => {}));
  const close = () =>
    new Promise<void>((resolve) => {
      if (!port.isOpen) return resolve();
      port.drain(() => port.close(() => resolve()));
    });
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        if (over) return reject(new Error("the line is closed"));
        endings.push(() => reject(new Error("the line is closed")));
        port.write(Buffer.from(bytes));
        port.drain((error) => {
          endings.pop();
          if (error) reject(error);
          else resolve();
        });
      }),
    end: close,
    destroy: () => void close(),
    get broken() {
      return over || !port.isOpen;
    },
    onData: (listen) => void port.on("data", listen),
    onEnd: (listen) => void endings.unshift(listen),
  };
}
