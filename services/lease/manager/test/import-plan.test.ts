import assert from "node:assert/strict";
import { test } from "node:test";
import type { TomlTable } from "@frontdesk/lease-config/toml-text";
import { reservationsAsCsv } from "../../console/src/reservation-csv.ts";
import { parseCsv } from "../src/domain/csv-text.ts";
import { columnsOf, planImport } from "../src/domain/reservation-import.ts";
import { subnetFinder } from "../src/domain/subnet-finder.ts";

function planned(document: TomlTable, header: string[], cells: string[][]) {
  const columns = columnsOf({ line: 1, cells: header });
  assert.ok(Array.isArray(columns));
  return planImport(
    document,
    columns,
    cells.map((row, at) => ({ line: at + 2, cells: row })),
  );
}

// Grows with the square of what it should grow with: minutes, where a second is enough.
test("rows that name one identifier over and over are planned in time, and each is told as taken", {
  timeout: 60_000,
}, () => {
  const many = Array(300).fill("00").join(" ");
  const cells = Array.from({ length: 2_000 }, (_, n) => [`10.0.${n >> 8}.${n & 255}`, many]);
  const { rows } = planned({ subnet: [{ network: "10.0.0.0/16" }] }, ["ip", "client_id"], cells);
  assert.ok(rows.every(({ problem }) => problem === "identifier_taken"));
  const alone = planned({ subnet: [{ network: "10.0.0.0/16" }] }, ["ip", "client_id"], cells.slice(0, 1));
  assert.deepEqual(
    alone.rows.map(({ action }) => action),
    ["add"],
    "twice in one row is one device",
  );
});

test("ten thousand rows for a thousand subnets are each planned for their own", { timeout: 60_000 }, () => {
  const subnet = Array.from({ length: 1_000 }, (_, n) => ({ network: `10.${n >> 8}.${n & 255}.0/24` }));
  const cells = Array.from({ length: 10_000 }, (_, n) => {
    const [place, host] = [n % 1_000, 10 + Math.floor(n / 1_000)];
    const mac = (0x020000000000 + n).toString(16).padStart(12, "0");
    return [`10.${place >> 8}.${place & 255}.${host}`, mac];
  });
  const { document, rows } = planned({ subnet }, ["ip", "mac"], cells);
  assert.ok(rows.every(({ action }) => action === "add"));
  for (const { network, reservation } of document.subnet as TomlTable[]) {
    const base = String(network).slice(0, -"0/24".length);
    assert.ok((reservation as TomlTable[]).every(({ ip }) => String(ip).startsWith(base)));
    assert.equal((reservation as TomlTable[]).length, 10);
  }
});

test("the subnet of an address is found in both families; of two that have it the first counts", () => {
  const networks = ["10.0.0.0/8", "10.1.0.0/16", "fd77::/64", "192.0.2.128/25", "fd77::/48", "nonsense"];
  const find = subnetFinder(networks.map((network) => ({ network })));
  const wanted = {
    "10.1.2.3": 0,
    "192.0.2.127": -1,
    "192.0.2.128": 3,
    "192.0.2.255": 3,
    "fd77::1": 2,
    "fd77:0:0:1::1": 4,
    "fd78::1": -1,
    "fd77::/64": -1,
    "": -1,
  };
  for (const [ip, place] of Object.entries(wanted)) assert.equal(find(ip), place, ip);
});

test("what is downloaded and imported untouched changes nothing, whatever it holds", () => {
  const mac = "02:00:00:00:00:01";
  const texts = [
    "port 7",
    " port 7 ",
    " ",
    "=1+1",
    "'=1+1",
    "''-",
    '["a", "b"]',
    "[a]",
    "[",
    '"',
    ";",
    "a\nb",
    "0x0004",
  ];
  const ways = [
    ...texts.flatMap((text) => [{ circuit_id: text }, { remote_id: [text, "other"] }, { mac, note: text }]),
    { circuit_id: ["ge-0/0/1", "ge-0/0/2"] },
    { interface_id: ["one only"] },
    { mac: [mac, "02:00:00:00:00:02"], client_id: "01:02", hostname: "door", enabled: false },
    { mac: "02-00-00-00-00-01", note: "x".repeat(1001) },
  ];
  for (const way of ways) {
    const reservation: TomlTable = { ip: "10.77.0.9", ...way };
    const before = { subnet: [{ network: "10.77.0.0/16", reservation: [reservation] }] };
    const [header, ...rows] =
      parseCsv(reservationsAsCsv([{ ...reservation, subnet: "10.77.0.0/16", status: "unused" } as never])) ??
      [];
    const plan = planned(
      before,
      [...(header?.cells ?? [])],
      rows.map(({ cells }) => [...cells]),
    );
    assert.deepEqual(
      [plan.rows[0]?.action, plan.document],
      ["same", before],
      JSON.stringify(way).slice(0, 80),
    );
  }
  const long = planned(
    { subnet: [{ network: "10.77.0.0/16" }] },
    ["ip", "mac", "note"],
    [["10.77.0.9", mac, "x".repeat(1001)]],
  );
  assert.equal(long.rows[0]?.problem, "too_long", "of what is new");
});
