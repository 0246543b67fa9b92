import { createHash } from "node:crypto";
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { NetworkChange, NetworkPlan, NetworkTool } from "../domain/host-network.ts";
import { textOf } from "./kept-text.ts";
import { profileName, renamed, withAddress } from "./network-manager-profile.ts";
import { networkdFile } from "./networkd-file.ts";

/** All that is needed to make a change and to take it back. */
export interface FullPlan extends Omit<NetworkPlan, "commands"> {
  readonly mode: number;
  /** Before the files are written, and after; and after they are as they were before. */
  readonly down: ReadonlyArray<readonly string[]>;
  readonly up: ReadonlyArray<readonly string[]>;
  readonly upAgain: ReadonlyArray<readonly string[]>;
}

/** Which tool has an interface, by what each keeps of those it has. `root` is where the machine's files are. */
export function toolOf(root: string, name: string, index: number): NetworkTool | null {
  const manager = textOf(join(root, "run/NetworkManager/devices", String(index)));
  if (manager && /^managed=true$/m.test(manager)) return "NetworkManager";
  const networkd = textOf(join(root, "run/systemd/netif/links", String(index)));
  if (networkd && /^ADMIN_STATE=(configured|configuring)$/m.test(networkd)) return "systemd-networkd";
  return stanzaFile(root, name) ? "ifupdown" : null;
}

export function planOf(root: string, tool: NetworkTool, change: NetworkChange, index: number): FullPlan {
  return PLANS[tool](root, change, index);
}

/** `index` is that of the interface, by which tools keep what they have made of it. */
type Plan = (root: string, change: NetworkChange, index: number) => FullPlan;

const networkd: Plan = (root, change, index) => {
  const { interface: name } = change;
  // Of several files that match an interface, the first by name counts.
  const path = join(root, "etc/systemd/network", `00-frontdesk-${name}.network`);
  // Sets up anew what a new, changed or removed file matches. `reconfigure` after it would take the address away for a moment.
  const up = [["networkctl", "reload"]];
  const after = networkdFile(networkdInForce(root, path, index), change);
  const files = [{ path, before: textOf(path), after }];
  return { tool: "systemd-networkd", files, mode: 0o644, down: [], up, upAgain: up };
};

/** Where networkd looks for files; of two with one name, that in the first folder counts. */
const NETWORKD_FOLDERS = ["etc", "run", "usr/local/lib", "usr/lib"].map((each) => `${each}/systemd/network`);

/** The file that networkd has set an interface up by, and its drop-ins; those of our own file go on as they are. */
function networkdInForce(root: string, own: string, index: number): string {
  const link = textOf(join(root, "run/systemd/netif/links", String(index))) ?? "";
  const file = basename(/^NETWORK_FILE=(.+)$/m.exec(link)?.[1] ?? "");
  if (!file.endsWith(".network")) return "";
  const first = (path: string) =>
    NETWORKD_FOLDERS.map((folder) => textOf(join(root, folder, path))).find((text) => text !== null) ?? "";
  if (file === basename(own)) return first(file);
  const names = NETWORKD_FOLDERS.flatMap((folder) => namesIn(join(root, folder, `${file}.d`)));
  const dropIns = [...new Set(names)].filter((name) => name.endsWith(".conf")).toSorted();
  return [file, ...dropIns.map((name) => `${file}.d/${name}`)].map(first).join("\n");
}

const networkManager: Plan = (root, change, index) => {
  const { interface: name } = change;
  const own = `frontdesk-${name}`;
  const active = activeProfile(root, index);
  const isInPlace = active?.folder === OWN_PROFILES && active.interface === name;
  const file = isInPlace ? active.file : `${own}.nmconnection`;
  const path = join(root, OWN_PROFILES, file);
  const uuid = isInPlace ? active.uuid : uuidOf(own);
  const text = active?.text ?? FIRST_PROFILE;
  const profile = isInPlace ? text : renamed(text, own, uuid, name);
  const upAgain = active
    ? ["nmcli", "connection", "up", "uuid", active.uuid, "ifname", name]
    : ["nmcli", "device", "connect", name];
  return {
    tool: "NetworkManager",
    files: [{ path, before: textOf(path), after: withAddress(profile, change) }],
    // NetworkManager reads no connection that others could write.
    mode: 0o600,
    down: [],
    up: [
      ["nmcli", "connection", "load", path],
      ["nmcli", "connection", "up", "uuid", uuid, "ifname", name],
    ],
    upAgain: [["nmcli", "connection", "reload"], upAgain],
  };
};

/** Where none is active. */
const FIRST_PROFILE = "[connection]\ntype=ethernet\n\n[ipv4]\n\n[ipv6]\nmethod=auto\n";

/** The administrator's; what is in the others is made anew by whatever made it. */
const OWN_PROFILES = "etc/NetworkManager/system-connections";
/** Of two with one uuid, the first counts. */
const PROFILE_FOLDERS = [
  "run/NetworkManager/system-connections",
  OWN_PROFILES,
  "usr/lib/NetworkManager/system-connections",
];

/** The profile that an interface is set up by; undefined where it is in no file. */
function activeProfile(root: string, index: number) {
  const device = textOf(join(root, "run/NetworkManager/devices", String(index))) ?? "";
  const uuid = /^connection-uuid=(.+)$/m.exec(device)?.[1];
  if (uuid === undefined) return undefined;
  for (const folder of PROFILE_FOLDERS) {
    for (const file of namesIn(join(root, folder))) {
      const text = textOf(join(root, folder, file)) ?? "";
      const profile = profileName(text);
      if (profile?.uuid === uuid) return { ...profile, folder, file, text };
    }
  }
  return undefined;
}

const ifupdown: Plan = (root, change) => {
  const { interface: name, address, gateway, dns } = change;
  const found = stanzaFile(root, name) ?? join(root, "etc/network/interfaces");
  // Where it is a link, it stays one.
  const path = existsSync(found) ? realpathSync(found) : found;
  const before = textOf(path) ?? "";
  const stanza = [
    `iface ${name} inet static`,
    `    address ${address}`,
    ...(gateway ? [`    gateway ${gateway}`] : []),
    ...(dns.length > 0 ? [`    dns-nameservers ${dns.join(" ")}`] : []),
  ];
  const files = [{ path, before, after: withStanza(before, name, stanza) }];
  const up = [["ifup", name]];
  // It may hold the secret of a network (`wpa-psk`): who could read it before can, and nobody else.
  const mode = existsSync(path) ? statSync(path).mode & 0o777 : 0o644;
  return { tool: "ifupdown", files, mode, down: [["ifdown", "--force", name]], up, upAgain: up };
};

const PLANS: Readonly<Record<NetworkTool, Plan>> = {
  "systemd-networkd": networkd,
  NetworkManager: networkManager,
  ifupdown,
};

/** interfaces(5): a stanza goes on until a line that begins another. */
const BEGINS = /^\s*(iface|auto|allow-\S+|mapping|source|source-directory|no-auto-down|no-scripts|rename)\b/;
const isStanzaOf = (line: string, name: string) => {
  const [word, of, family] = line.trim().split(/\s+/);
  return word === "iface" && of === name && family === "inet";
};

function withStanza(text: string, name: string, stanza: readonly string[]): string {
  const lines = text.split("\n");
  const from = lines.findIndex((line) => isStanzaOf(line, name));
  if (from < 0) return `${text.replace(/\n*$/, "\n\n")}${stanza.join("\n")}\n`;
  const rest = lines.slice(from + 1).findIndex((line) => BEGINS.test(line));
  let to = rest < 0 ? lines.length : from + 1 + rest;
  // Empty lines and comments before the next one belong to that.
  while (to > from + 1 && /^\s*(#.*)?$/.test(lines[to - 1] ?? "")) to--;
  const kept = lines.slice(from + 1, to).filter((line) => !REPLACED.has(line.trim().split(/\s+/)[0] ?? ""));
  return lines.toSpliced(from, to - from, ...stanza, ...kept).join("\n");
}

/** What the new lines of a stanza say, and what is for asking a DHCP server alone. */
const REPLACED = new Set([
  "address",
  "netmask",
  "network",
  "broadcast",
  "gateway",
  "dns-nameservers",
  "hostname",
  "leasehours",
  "leasetime",
  "vendor",
  "client",
]);

function stanzaFile(root: string, name: string): string | undefined {
  const main = join(root, "etc/network/interfaces");
  const folder = join(root, "etc/network/interfaces.d");
  const others = namesIn(folder).map((each) => join(folder, each));
  return [main, ...others].find((path) =>
    textOf(path)
      ?.split("\n")
      .some((line) => isStanzaOf(line, name)),
  );
}

/** Without what is hidden: no tool reads it. */
const namesIn = (folder: string) =>
  existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith(".")) : [];

/** The same for the same name (RFC 9562 section 5.8: of a kind of one's own). */
function uuidOf(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
