import { isDeepStrictEqual } from "node:util";
import type { TomlTable, TomlValue } from "@frontdesk/lease-config/toml-text";
import { formatHex, parseHex, parseMac } from "@frontdesk/lease-options/address";
import { plainAddress } from "@frontdesk/lease-options/plain-address";
import { relayIdentifiersIn } from "@frontdesk/lease-options/relay-identifier-cell";
import type { CsvRow } from "./csv-text.ts";
import { HEX_IDENTIFIERS, IDENTIFIERS, identifiersOf } from "./identifiers.ts";
import type { ImportAction, ImportProblem } from "./import-problems.ts";
import { addressOf, listOf, withList } from "./reservation-tables.ts";
import { subnetFinder } from "./subnet-finder.ts";

export const MAX_ROWS = 10_000;
const MAX_CELL = 1000;

const COLUMNS = ["ip", ...IDENTIFIERS, "hostname", "note", "enabled"] as const;
type Column = (typeof COLUMNS)[number];
/** What a downloaded file tells beside. */
const IGNORED = new Set(["subnet", "status", "held_by"]);

export interface PlannedRow {
  readonly line: number;
  readonly ip: string;
  readonly hostname: string | null;
  readonly action: ImportAction;
  readonly problem: ImportProblem | null;
  /** The column that the problem is in, or the columns that change. */
  readonly columns: string[];
}

export interface ImportPlan {
  readonly document: TomlTable;
  readonly rows: readonly PlannedRow[];
}

/** The columns in their order; or the one that is not known, there twice, or missing. */
export function columnsOf(header: CsvRow | undefined): Array<Column | undefined> | { wrong: string } {
  const names = header?.cells.map((name) => name.toLowerCase()) ?? [];
  const seen = new Set<string>();
  const wrong = names.find((name) => {
    const isTwice = seen.has(name);
    seen.add(name);
    return isTwice || (!IGNORED.has(name) && !COLUMNS.includes(name as Column));
  });
  if (wrong !== undefined) return { wrong };
  if (!names.includes("ip")) return { wrong: "ip" };
  return names.map((name) => COLUMNS.find((column) => column === name));
}

type Known = Partial<Record<Column, TomlValue | undefined>>;

interface ReadRow {
  readonly row: CsvRow;
  readonly ip: string;
  /** The columns of the file; undefined where the cell is empty. */
  readonly known: Known;
  problem: { readonly code: ImportProblem; readonly column: string } | undefined;
}

/** The document as it would be with all rows, and what each of them does to it. */
export function planImport(
  document: TomlTable,
  columns: ReadonlyArray<Column | undefined>,
  rows: readonly CsvRow[],
): ImportPlan {
  const subnets = listOf(document.subnet);
  const before = new Map<string, TomlTable>();
  const placeOf = new Map<string, number>();
  for (const [place, { reservation }] of subnets.entries()) {
    for (const each of listOf(reservation)) {
      before.set(keyOf(each), each);
      placeOf.set(keyOf(each), place);
    }
  }
  const read = rows.map((row) => readRow(columns, row, before));
  const seen = new Set<string>();
  for (const each of read) {
    if (seen.has(each.ip)) each.problem ??= { code: "ip_twice", column: "ip" };
    seen.add(each.ip);
  }
  const homes = new Map<ReadRow, number>();
  const find = subnetFinder(subnets);
  // A prefix need not lie in the subnet that delegates it: it is changed where it is.
  const homeOf = (ip: string) => (ip.includes("/") ? placeOf.get(ip) : undefined) ?? find(ip);
  for (const each of read.filter(({ problem }) => !problem)) {
    const home = homeOf(each.ip);
    if (home < 0) each.problem = { code: "no_subnet", column: "ip" };
    else homes.set(each, home);
  }
  const after = new Map<string, TomlTable>();
  for (const each of homes.keys()) {
    // What there is keeps the way its address is written.
    const { ip, ...known } = each.known;
    after.set(each.ip, merged(before.get(each.ip) ?? { ip: each.ip }, known));
  }
  for (const each of homes.keys()) {
    if (!IDENTIFIERS.some((kind) => after.get(each.ip)?.[kind] !== undefined))
      each.problem = { code: "no_identifier", column: "mac" };
  }
  const byIp = new Map([...homes.keys()].map((each) => [each.ip, each]));
  const addedTo = Map.groupBy(
    [...homes.keys()].filter(({ ip }) => !before.has(ip)),
    (each) => homes.get(each),
  );
  const next = subnets.map((subnet, place) => {
    const kept = listOf(subnet.reservation).map((each) => after.get(keyOf(each)) ?? each);
    const added = addedTo.get(place) ?? [];
    if (added.length === 0 && kept.every((each) => !after.has(keyOf(each)))) return subnet;
    const all = [...kept, ...added.map(({ ip }) => after.get(ip) as TomlTable)];
    markTaken(all, byIp);
    return withList(subnet, all);
  });
  return {
    document: { ...document, subnet: next },
    rows: read.map((each) => plannedRow(each, before.get(each.ip), after.get(each.ip))),
  };
}

/** What a reservation is known by, in the one way that it is compared. */
const keyOf = (reservation: TomlTable) => plainAddress(addressOf(reservation)) ?? addressOf(reservation);

function plannedRow(each: ReadRow, before: TomlTable | undefined, after: TomlTable = {}): PlannedRow {
  const { row, ip, known, problem } = each;
  const common = { line: row.line, ip, hostname: typeof known.hostname === "string" ? known.hostname : null };
  if (problem) return { ...common, action: "conflict", problem: problem.code, columns: [problem.column] };
  if (!before) return { ...common, action: "add", problem: null, columns: [] };
  const columns = COLUMNS.filter((column) => !isDeepStrictEqual(before[column], after[column]));
  return { ...common, action: columns.length > 0 ? "change" : "same", problem: null, columns };
}

function readRow(
  columns: ReadonlyArray<Column | undefined>,
  row: CsvRow,
  before: ReadonlyMap<string, TomlTable>,
): ReadRow {
  const known: Known = {};
  const named = row.cells[columns.indexOf("ip")] ?? "";
  const there = before.get(plainAddress(plain(named).trim()) ?? named);
  let problem: ReadRow["problem"];
  const extra = row.cells.slice(columns.length).some((cell) => cell !== "");
  if (extra) problem = { code: "too_many_cells", column: "" };
  for (const [place, column] of columns.entries()) {
    if (!column) continue;
    const cell = plain(row.cells[place] ?? "");
    const read = cellValue(column, cell);
    const isTooLong = cell.length > MAX_CELL && !isThere(column, read, there);
    if (typeof read === "string" || isTooLong)
      problem ??= { code: isTooLong ? "too_long" : (read as ImportProblem), column };
    // A device may call itself by spaces alone: what is there and says the same stays.
    else known[column] = read.value ?? (cell === there?.[column] ? cell : undefined);
  }
  const ip = typeof known.ip === "string" ? known.ip : named;
  return { row, ip, known, problem };
}

/** Without the apostrophe that keeps a cell from being a formula. */
const plain = (cell: string) => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);

type ReadCell = ImportProblem | { readonly value: TomlValue | undefined };

/** Whether a cell says what there is: that may be longer than what is taken anew. */
const isThere = (column: Column, read: ReadCell, there: TomlTable | undefined) =>
  typeof read !== "string" && read.value !== undefined && isSame(column, there?.[column], read.value);

function cellValue(column: Column, text: string): ReadCell {
  const cell = text.trim();
  if (column === "ip") {
    const value = plainAddress(cell);
    return value === undefined ? "bad_ip" : { value };
  }
  if (cell === "") return { value: undefined };
  if (column === "enabled") {
    const word = cell.toLowerCase();
    // In force is what a reservation is unless it says otherwise.
    if (["true", "yes", "1"].includes(word)) return { value: undefined };
    return ["false", "no", "0"].includes(word) ? { value: false } : "bad_enabled";
  }
  // Spaces within quotes are part of a text.
  if (column === "hostname" || column === "note") return { value: text };
  const isHex = HEX_IDENTIFIERS.some((each) => each === column);
  if (!isHex) return { value: relayIdentifiersIn(text) };
  const parse = column === "mac" ? parseMac : parseHex;
  // Several of them are written with spaces between.
  const octets = cell.split(/[\s,]+/).map(parse);
  if (octets.some((each) => !each?.length)) return "bad_identifier";
  const values = octets.map((each) => formatHex(each as Uint8Array));
  return { value: values.length === 1 ? (values[0] as string) : values };
}

/** A reservation with the columns of the file; what is written otherwise and says the same stays as it is. */
function merged(before: TomlTable, known: Known): TomlTable {
  const next: Record<string, TomlValue> = { ...before };
  for (const [column, value] of Object.entries(known)) {
    if (value === undefined) {
      if (column !== "enabled" || before.enabled === false) delete next[column];
    } else if (!isSame(column, before[column], value)) next[column] = value;
  }
  return next;
}

function isSame(column: string, one: TomlValue | undefined, other: TomlValue): boolean {
  const kind = IDENTIFIERS.find((each) => each === column);
  if (!kind || one === undefined) return isDeepStrictEqual(one, other);
  return isDeepStrictEqual(identifiersOf(kind, one), identifiersOf(kind, other));
}

/** Whoever names an identifier that another reservation of the subnet has. */
function markTaken(all: readonly TomlTable[], rows: ReadonlyMap<string, ReadRow>): void {
  const holders = new Map<string, TomlTable[]>();
  for (const each of all) {
    for (const kind of IDENTIFIERS) {
      for (const identifier of new Set(identifiersOf(kind, each[kind]))) {
        const key = `${kind} ${identifier}`;
        const sharing = holders.get(key);
        if (sharing) sharing.push(each);
        else holders.set(key, [each]);
      }
    }
  }
  for (const [key, sharing] of holders) {
    if (sharing.length < 2) continue;
    for (const each of sharing) {
      const row = rows.get(keyOf(each));
      if (row) row.problem ??= { code: "identifier_taken", column: key.slice(0, key.indexOf(" ")) };
    }
  }
}
