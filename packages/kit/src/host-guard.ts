import { isIP, isIPv6 } from "node:net";
import type { ListenAddress } from "./settings.ts";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]", "::1"]);
const MAX_HOST = 300;

export type HostGuard = (host: string | undefined) => boolean;

/**
 * Whether a request was really meant for this machine. A page whose name was bound to a loopback
 * address (DNS rebinding) sends that name, and is told apart by it.
 */
export function createHostGuard(names: readonly string[]): HostGuard {
  const allowed = new Set([...LOOPBACK, ...names.map(asInHeader)]);
  return (host) => {
    if (!host || host.length > MAX_HOST) return false;
    const name = /^(\[[^\]]+\]|[^:]+)(?::\d+)?$/.exec(host.toLowerCase())?.[1];
    return name !== undefined && (allowed.has(name) || /^127(?:\.\d{1,3}){3}$/.test(name));
  };
}

/** As browsers write it: an address of IPv6 in brackets, and in its shortest form. */
const asInHeader = (name: string) =>
  isIPv6(name) && !name.includes("%") ? new URL(`http://[${name}]`).hostname : name.toLowerCase();

/**
 * For a service that anybody may reach under any name once it listens beyond this machine: on loopback
 * it is asked by this machine's names or by its public address (a proxy may pass that on), else by any.
 */
export function loopbackHostGuard({ host }: ListenAddress, publicUrl: string): HostGuard | undefined {
  const isLoopback = host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
  return isLoopback ? createHostGuard([new URL(publicUrl).hostname]) : undefined;
}
