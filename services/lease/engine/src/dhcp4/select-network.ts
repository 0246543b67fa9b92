import type { Config, Subnet } from "@frontdesk/lease-config/config";
import { formatIpv4, readU32 } from "@frontdesk/lease-options/address";
import { CODE } from "@frontdesk/lease-options/option-table";
import { drop, type Exchange, type Step } from "./exchange.ts";

/** Which link the client is on (RFC 2131 section 4.3.1). */
export const selectNetwork: Step = (x) => {
  const { subnet, because } = locate(x);
  if (!subnet) return drop(x, `no subnet for ${because}`);
  x.subnet = subnet;
  x.network = subnet.network;
  x.trail?.push(`Its network is ${subnet.network.name}, by ${because}.`);
  return "continue";
};

function locate(x: Exchange): { subnet: Subnet | undefined; because: string } {
  const { request, relay, config, ingress } = x;
  const selection = request.options.get(CODE.subnetSelection);
  const selected = selection?.length === 4 ? readU32(selection, 0) : undefined;
  if (request.giaddr !== 0) {
    // RFC 3527 section 3: the relay's word on the link comes before its own address; RFC 3011 section 3 next.
    if (relay.linkSelection !== undefined) return by(config, relay.linkSelection, "link selection");
    if (selected !== undefined) return by(config, selected, "subnet selection");
    const subnet =
      config.subnets.find((each) => each.relays.includes(request.giaddr)) ?? subnetOf(config, request.giaddr);
    return { subnet, because: `the relay ${formatIpv4(request.giaddr)}` };
  }
  if (selected !== undefined) return by(config, selected, "subnet selection");
  // A client that renews through a router has no relay to speak for it.
  const own = request.ciaddr === 0 ? undefined : subnetOf(config, request.ciaddr);
  if (own) return { subnet: own, because: `its address ${formatIpv4(request.ciaddr)}` };
  if (ingress.lab)
    return { subnet: config.subnets[0], because: "the lab listener, which is on the first subnet" };
  for (const address of ingress.addresses) {
    const subnet = subnetOf(config, address);
    if (subnet) return { subnet, because: `the interface ${ingress.interfaceName}` };
  }
  return { subnet: undefined, because: `the interface ${ingress.interfaceName}` };
}

const by = (config: Config, address: number, name: string) => ({
  subnet: subnetOf(config, address),
  because: `${name} ${formatIpv4(address)}`,
});

export function subnetOf(config: Config, address: number): Subnet | undefined {
  for (const subnet of config.subnets) if ((address & subnet.mask) >>> 0 === subnet.address) return subnet;
  return undefined;
}
