import type { NetworkChange } from "../domain/host-network.ts";
import { iniText, lastValue, type Section, sectionsOf, settingOf } from "./ini-sections.ts";

/** What a profile of NetworkManager (nm-settings-keyfile(5)) is known by. */
export interface ProfileName {
  readonly uuid: string;
  /** Of the one interface that it is for. */
  readonly interface: string | undefined;
}

export function profileName(text: string): ProfileName | undefined {
  const connection = sectionsOf(text).find(({ name }) => name === "connection");
  const uuid = connection && lastValue(connection, "uuid");
  return uuid === undefined
    ? undefined
    : { uuid, interface: lastValue(connection as Section, "interface-name") };
}

/** The profile with a static IPv4 address; all else that it says stays. */
export function withAddress(text: string, change: NetworkChange): string {
  const { address, gateway, dns } = change;
  const isReplaced = (key: string, value: string) =>
    /^(method|address(es)?\d*|gateway|dns)$/.test(key) ||
    (/^routes?\d*$/.test(key) && value.startsWith("0.0.0.0/0")) ||
    // It would have no gateway.
    (key === "never-default" && gateway !== null);
  return withSettings(text, "ipv4", isReplaced, [
    "method=manual",
    `address1=${address}${gateway ? `,${gateway}` : ""}`,
    ...(dns.length > 0 ? [`dns=${dns.map((each) => `${each};`).join("")}`] : []),
  ]);
}

/** The profile under another name, for one interface, and taken before all others that fit it. */
export function renamed(text: string, id: string, uuid: string, name: string): string {
  const isReplaced = (key: string) =>
    ["id", "uuid", "interface-name", "autoconnect-priority", "timestamp"].includes(key);
  return withSettings(text, "connection", isReplaced, [
    `id=${id}`,
    `uuid=${uuid}`,
    `interface-name=${name}`,
    "autoconnect-priority=100",
  ]);
}

function withSettings(
  text: string,
  name: string,
  isReplaced: (key: string, value: string) => boolean,
  lines: readonly string[],
): string {
  const sections = sectionsOf(text);
  const at = sections.findIndex((section) => section.name === name);
  const kept = (sections[at]?.lines ?? []).filter((line) => {
    const setting = settingOf(line);
    return setting === undefined || !isReplaced(setting.key, setting.value);
  });
  const section = { name, lines: [...lines, ...kept] };
  return iniText(at < 0 ? [...sections, section] : sections.with(at, section));
}
