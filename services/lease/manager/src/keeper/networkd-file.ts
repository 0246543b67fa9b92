import type { NetworkChange } from "../domain/host-network.ts";
import { iniText, lastValue, type Section, sectionsOf, settingOf } from "./ini-sections.ts";

/**
 * A .network file (systemd.network(5)) that gives one interface a static IPv4 address, and else says what the one in
 * force says, with its drop-ins after it. That one stays as it is: it may match other interfaces too.
 */
export function networkdFile(inForce: string, change: NetworkChange): string {
  const { interface: name, address, gateway, dns } = change;
  // A line that ends with a backslash goes on in the next one.
  const kept = sectionsOf(inForce.replaceAll("\\\n", " "))
    .filter((section) => !isReplaced(section))
    .map((section) => (section.name === "Network" ? withoutIpv4(section) : section))
    .filter(({ lines }) => lines.some(settingOf));
  const lines = [
    `Address=${address}`,
    ...(gateway ? [`Gateway=${gateway}`] : []),
    ...dns.map((each) => `DNS=${each}`),
  ];
  // The new ones are last: an empty value takes back those before it.
  return iniText([{ name: "Match", lines: [`Name=${name}`] }, ...kept, { name: "Network", lines }]);
}

const isIpv4 = (text: string) => /^\d{1,3}(\.\d{1,3}){3}/.test(text);
const isIpv4Gateway = (text: string) => isIpv4(text) || ["dhcp", "dhcp4", "_dhcp4"].includes(text);

function isReplaced(section: Section): boolean {
  if (section.name === "" || section.name === "Match") return true;
  if (section.name === "Address") return isIpv4(lastValue(section, "Address") ?? "");
  return section.name === "Route" && isDefaultRoute(section);
}

/** Of IPv4, in the table that all packets go by. */
function isDefaultRoute(section: Section): boolean {
  const destination = lastValue(section, "Destination") ?? "0.0.0.0/0";
  const table = lastValue(section, "Table") ?? "main";
  const isMain = table === "main" || table === "254";
  return isMain && destination === "0.0.0.0/0" && isIpv4Gateway(lastValue(section, "Gateway") ?? "");
}

function withoutIpv4({ name, lines }: Section): Section {
  const kept = lines.flatMap((line) => {
    const { key, value } = settingOf(line) ?? { key: "", value: "" };
    if (key === "Address" && isIpv4(value)) return [];
    if (key === "Gateway" && isIpv4Gateway(value)) return [];
    if (key === "DHCP") return [`DHCP=${ASKS_FOR_IPV6.has(value.toLowerCase()) ? "ipv6" : "no"}`];
    if (key !== "DNS" || value === "") return [line];
    const others = value.split(/\s+/).filter((each) => !isIpv4(each));
    return others.length > 0 ? [`DNS=${others.join(" ")}`] : [];
  });
  return { name, lines: kept };
}

/** Of these, that is what stays. */
const ASKS_FOR_IPV6 = new Set(["yes", "true", "on", "1", "y", "t", "both", "ipv6", "v6"]);
