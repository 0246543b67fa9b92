import { BlockList, isIP } from "node:net";
import { StartProblem } from "@frontdesk/kit/problem";

/** IPv4 that is not for everyone: private, loopback, link-local, CGNAT, reserved, multicast. */
const REFUSED_4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
];
/** IPv6 is refused outside global unicast, which leaves mapped, NAT64 and local addresses out. */
const GLOBAL_6 = "2000::/3";
/** Within it: IETF protocols with Teredo, documentation, 6to4. */
const REFUSED_6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

export type Verdict = "public" | "allowed" | "refused";

/** Tells by the address itself whether a webhook may go there. */
export type AddressGuard = (address: string) => Verdict;

/** `allow` lists exceptions as addresses or networks: for those who mean it. */
export function createAddressGuard(allow: readonly string[]): AddressGuard {
  const refused4 = blockList(REFUSED_4);
  const refused6 = blockList(REFUSED_6);
  const global6 = blockList([GLOBAL_6]);
  const allowed = blockList(allow);
  return (text) => {
    const address = plain(text);
    const family = isIP(address);
    if (family === 0) return "refused";
    if (allowed.check(address, family === 4 ? "ipv4" : "ipv6")) return "allowed";
    if (family === 4) return refused4.check(address, "ipv4") ? "refused" : "public";
    return global6.check(address, "ipv6") && !refused6.check(address, "ipv6") ? "public" : "refused";
  };
}

export function refusalOf(verdict: Verdict, address: string): string {
  return verdict === "public"
    ? `${address} is reached by https only`
    : `${address} is private; allow it with PRESENCE_WEBHOOK_ALLOW`;
}

/** Why nothing could ever be sent to this URL; undefined where only its look-up will tell. */
export function refusedUrl(guard: AddressGuard, text: string): string | undefined {
  const url = URL.parse(text);
  const address = url?.hostname.replace(/^\[|\]$/g, "") ?? "";
  if (!url || isIP(address) === 0) return undefined;
  const verdict = guard(address);
  const fits = verdict === "allowed" || (verdict === "public" && url.protocol === "https:");
  return fits ? undefined : refusalOf(verdict, address);
}

/** Without brackets or a zone; an IPv4 address in IPv6 clothes is taken as what it is. */
function plain(text: string): string {
  const address = text.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = isIP(address);
    const maxLength = family === 4 ? 32 : 128;
    const length = bits === undefined ? maxLength : /^\d+$/.test(bits) ? Number(bits) : Number.NaN;
    if (family === 0 || !(length <= maxLength)) {
      throw new StartProblem(
        `PRESENCE_WEBHOOK_ALLOW must hold addresses or networks like 10.0.0.0/8, not "${network}".`,
      );
    }
    list.addSubnet(address, length, family === 4 ? "ipv4" : "ipv6");
  }
  return list;
}
