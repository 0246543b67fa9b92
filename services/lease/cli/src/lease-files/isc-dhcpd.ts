import type { FileLease, LeaseFile } from "./foreign-lease.ts";

const BEGIN = /^lease (\d+\.\d+\.\d+\.\d+) \{/;
/** `ends 4 2026/11/12 12:00:00;`, in UTC unless dhcpd was told otherwise. */
const DATE = /^\d (\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d)/;

/** `ia-na "…" {`, with the IAID and the DUID, then `iaaddr 2001:db8::1 {` or `iaprefix 2001:db8::/56 {`. */
const ASSOCIATION = /^ia-(na|ta|pd) (\S.*) \{/;
const BEGIN6 = /^(?:iaaddr|iaprefix) (\S+) \{/;
const IAID_OCTETS = 4;

export const isIsc = (text: string) => /^(lease \d+\.\d+\.\d+\.\d+ |ia-(na|ta|pd) .*)\{/m.test(text);

/** ISC dhcpd's `dhcpd.leases`, and `dhcpd6.leases`. */
export function readIsc(text: string): LeaseFile {
  const leases: LeaseFile = new Map();
  // The IAID is written as the machine has it in memory, which the file tells.
  const isLittle = !/^authoring-byte-order big-endian;/m.test(text);
  let open: FileLease | undefined;
  let association: FileLease["association"];
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    const [, kind, key = ""] = ASSOCIATION.exec(line) ?? [];
    if (kind) association = kind === "ta" ? undefined : associationOf(key, isLittle);
    const ip = BEGIN.exec(line)?.[1] ?? (association && BEGIN6.exec(line)?.[1]);
    if (ip) {
      const nothing = { mac: "", clientId: undefined, hostname: undefined, expires: undefined };
      open = { ip, ...nothing, isActive: false, ...(ip.includes(":") && association ? { association } : {}) };
    } else if (open && line === "}") {
      leases.set(open.ip, open);
      open = undefined;
    } else if (open) open = { ...open, ...said(line) };
  }
  return leases;
}

function associationOf(key: string, isLittle: boolean): FileLease["association"] {
  const octets = key.startsWith('"') ? octetsOf(key) : Buffer.from(key.replaceAll(":", ""), "hex");
  if (octets.length <= IAID_OCTETS) return undefined;
  const iaid = isLittle ? octets.readUInt32LE() : octets.readUInt32BE();
  return { duid: octets.toString("hex", IAID_OCTETS), iaid };
}

function said(line: string): Partial<FileLease> {
  const space = line.indexOf(" ");
  const rest = line.slice(space + 1);
  const end = rest.lastIndexOf(";");
  const value = end < 0 ? rest : rest.slice(0, end);
  switch (line.slice(0, space)) {
    case "ends":
      return { expires: timeOf(rest) };
    case "binding":
      return { isActive: value === "state active" };
    case "hardware":
      return value.startsWith("ethernet ") ? { mac: value.slice("ethernet ".length) } : {};
    case "uid":
      return { clientId: value.startsWith('"') ? hexOf(value) : value };
    case "client-hostname":
      return { hostname: textOf(value) };
    default:
      return {};
  }
}

function timeOf(words: string): number | undefined {
  if (words.startsWith("never")) return undefined;
  const epoch = /^epoch (\d+)/.exec(words)?.[1];
  if (epoch) return Number(epoch);
  const [year = 0, month = 0, ...rest] = (DATE.exec(words) ?? []).slice(1).map(Number);
  return Date.UTC(year, month - 1, ...(rest as [number])) / 1000;
}

/** The octets of a quoted text: those that do not print are written as three octal digits. */
function octetsOf(quoted: string): Buffer {
  const octets: number[] = [];
  for (const [part] of quoted.slice(1, -1).matchAll(/\\[0-7]{3}|\\.|[^\\]/g)) {
    if (part[0] !== "\\") octets.push(...Buffer.from(part));
    else octets.push(part.length === 4 ? Number.parseInt(part.slice(1), 8) : part.charCodeAt(1));
  }
  return Buffer.from(octets);
}

const textOf = (quoted: string) => octetsOf(quoted).toString();
const hexOf = (quoted: string) => octetsOf(quoted).toString("hex");
