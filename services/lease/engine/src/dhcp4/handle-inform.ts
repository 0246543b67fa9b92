import { type Decision, type Exchange, silence, subnetWith } from "./exchange.ts";

/** RFC 2131 section 4.3.5: options for a client that has its address; no lease, no yiaddr. */
export function handleInform(x: Exchange): Decision {
  const address = informAddress(x);
  if (address === 0) return silence("no-client-address");
  x.trail?.push({ kind: "wants", state: "inform", address });
  // Without a relay the reply goes to that address: anyone could have replies sent to anybody.
  const isDirect = !x.ingress.lab && x.request.giaddr === 0;
  if (isDirect && !subnetWith(x, address)) return silence("foreign-address");
  return { outcome: { kind: "inform" } };
}

export const informAddress = ({ request, ingress }: Pick<Exchange, "request" | "ingress">) =>
  request.ciaddr || ingress.sourceAddress;
