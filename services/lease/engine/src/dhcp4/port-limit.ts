import { isActive } from "../leases/binding.ts";
import type { Exchange } from "./exchange.ts";

/** Whether one more lease is more than the client's port may have. A client that holds an address is counted with it. */
export function exceedsPort(x: Exchange): boolean {
  const { perPortLimit } = x.config;
  if (perPortLimit === 0 || x.leases.portUse(x.port) < perPortLimit) return false;
  return !x.leases.ofClient(x.identity, x.network.index).some(({ state }) => isActive(state));
}
