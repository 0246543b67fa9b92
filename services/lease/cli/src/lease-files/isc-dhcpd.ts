import type { FileLease, LeaseFile } from "./foreign-lease.ts";

const BEGIN = /^lease (\d+\.\d+\.\d+\.\d+) \{/;
/** `ends 4 2026/11/12 12:00:00;`, in UTC unless dhcpd was told otherwise. */
const DATE = /^\d (\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d)/;

export const isIsc = (text: string) => /^lease \d+\.\d+\.\d+\.\d+ \{/m.test(text);

/** ISC dhcpd's `dhcpd.leases`. */
export function readIsc(text: string): LeaseFile {
  const leases: LeaseFile = new Map();
  let open: FileLease | undefined;
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    const ip = BEGIN.exec(line)?.[1];
    if (ip) {
      open = { ip, mac: "", clientId: undefined, hostname: undefined, expires: undefined, isActive: false };
    } else if (open && line === "}") {
      leases.set(open.ip, open);
      open = undefined;
    } else if (open) open = { ...open, ...said(line) };
  }
  return leases;
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
