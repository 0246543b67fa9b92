import { isIP } from "node:net";
import { BridgeError } from "../domain/errors.ts";

/** `host`, `host:port` or `[v6]:port`; 9100 is the custom. */
export function readHostPort(address: string): { host: string; port: number } {
  const found = /^(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/.exec(address);
  const [, v6, name = ""] = found ?? [];
  const port = Number(found?.[3] ?? 9100);
  // What looks like an IPv4 address has to be one: 10.0.0.300 is not a name either.
  const isWrong = v6 === undefined ? /^[\d.]+$/.test(name) && isIP(name) !== 4 : isIP(v6) !== 6;
  if (!found || isWrong || port < 1 || port > 65_535) {
    throw new BridgeError("PROTOCOL_ERROR", `"${address}" is not host:port.`, { field: "address" });
  }
  return { host: v6 ?? name, port };
}
