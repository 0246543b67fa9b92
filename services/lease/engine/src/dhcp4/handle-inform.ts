import { type Decision, type Exchange, silence } from "./exchange.ts";

/** RFC 2131 section 4.3.5: options for a client that has its address; no lease, no yiaddr. */
export function handleInform(x: Exchange): Decision {
  const address = x.request.ciaddr || x.ingress.sourceAddress;
  if (address === 0) return silence("no-client-address");
  x.trail?.push({ kind: "wants", state: "inform", address });
  return { outcome: { kind: "inform" } };
}
