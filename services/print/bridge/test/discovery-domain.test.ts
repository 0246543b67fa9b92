import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { serialFinder } from "../src/adapters/find-serial.ts";
import { usbFinder } from "../src/adapters/find-usb.ts";
import { completePrinter } from "../src/adapters/provisioning.ts";
import { createDiscovery, type DiscoveryState, type Finder, type Lookout } from "../src/domain/discovery.ts";
import { createFoundList, type Sighting } from "../src/domain/found-printer.ts";
import { dpmmIn, languagesIn, plainText, readDeviceId } from "../src/domain/printer-clues.ts";
import { scriptedUsb } from "./scripted-usb.ts";

const seen = (part: Partial<Sighting>): Sighting => ({
  via: "mdns",
  transport: "tcp",
  address: "10.0.0.20:9100",
  name: "Dock",
  languages: [],
  sure: true,
  marks: [],
  ...part,
});

/** Time that passes only when told: each wait ends by hand, or with its signal. */
function handTime() {
  const waits: Array<{ ms: number; end: () => void }> = [];
  return {
    wait: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        waits.push({ ms, end: resolve });
        signal?.addEventListener("abort", () => resolve(), { once: true });
      }),
    pass: async (ms: number) => {
      for (const each of waits.splice(0)) {
        each.ms -= ms;
        if (each.ms <= 0) each.end();
        else waits.push(each);
      }
      await turn();
    },
  };
}

function searchWith(
  finders: Finder[],
  more: { mostPrinters?: number; maxPackets?: number; known?: () => never[] } = {},
) {
  const time = handTime();
  const discovery = createDiscovery({
    finders,
    clock: { now: () => 0 },
    wait: time.wait,
    milliseconds: 4_000,
    mostPrinters: 200,
    maxPackets: 100,
    known: () => [],
    ...more,
  });
  return { discovery, time };
}

/** A way of looking that a test holds in its hands. */
function heldFinder(via: Finder["via"] = "mdns") {
  const lookouts: Lookout[] = [];
  const finder: Finder = {
    via,
    find: (lookout) => {
      lookouts.push(lookout);
      return new Promise((resolve) => lookout.signal.addEventListener("abort", () => resolve()));
    },
  };
  return { finder, lookouts };
}

test("askers share one search: it ends with its time, tells each what it found, and the next one begins anew", async () => {
  const { finder, lookouts } = heldFinder();
  const { discovery, time } = searchWith([finder]);
  assert.equal(discovery.state().state, "idle");
  const heard: DiscoveryState[][] = [[], []];
  const askers = heard.map(async (states) => {
    for await (const state of discovery.find()) states.push(state);
  });
  discovery.start();
  await turn();
  assert.equal(lookouts.length, 1);
  lookouts[0]?.see(seen({}));
  await time.pass(100);
  lookouts[0]?.see(seen({ address: "10.0.0.21:9100", name: "Gate" }));
  await time.pass(4_000);
  await Promise.all(askers);
  for (const states of heard) {
    assert.deepEqual(
      states.map(({ state, printers }) => [state, printers.length]),
      [
        ["searching", 0],
        ["searching", 1],
        ["done", 2],
      ],
    );
  }
  assert.ok(lookouts[0]?.signal.aborted, "those who look are told that it is over");
  lookouts[0]?.see(seen({ address: "10.0.0.22:9100" }));
  assert.equal(discovery.state().printers.length, 2, "what comes too late is not listed");
  assert.equal(discovery.start().printers.length, 0);
  assert.equal(lookouts.length, 2);
  await discovery.close();
});

test("a search goes on and ends while the configuration cannot be read", async () => {
  const { finder, lookouts } = heldFinder();
  const known = () => {
    throw new Error("database is locked");
  };
  const { discovery, time } = searchWith([finder], { known });
  const states: string[] = [];
  const asker = (async () => {
    for await (const { state } of discovery.find()) states.push(state);
  })();
  await turn();
  lookouts[0]?.see(seen({}));
  await time.pass(100);
  await time.pass(4_000);
  await asker;
  assert.deepEqual(states, ["searching", "searching", "done"]);
  await discovery.close();
});

test("a way that fails is told with its reason, and the others go on", async () => {
  const { finder, lookouts } = heldFinder();
  const broken: Finder = { via: "cups", find: () => Promise.reject(new Error("CUPS broke off its answer.")) };
  const { discovery, time } = searchWith([broken, finder]);
  discovery.start();
  await turn();
  lookouts[0]?.malformed();
  lookouts[0]?.see(seen({}));
  await time.pass(4_000);
  assert.deepEqual(discovery.state().ways, [
    { via: "cups", state: "failed", answers: 0, malformed: 0, problem: "CUPS broke off its answer." },
    { via: "mdns", state: "done", answers: 1, malformed: 1, problem: null },
  ]);
  assert.equal(discovery.state().printers.length, 1);
});

test("a search is bounded in packets and in printers, and says what it left out", async () => {
  const { finder, lookouts } = heldFinder();
  const { discovery, time } = searchWith([finder], { mostPrinters: 3, maxPackets: 5 });
  discovery.start();
  await turn();
  for (let at = 0; at < 10; at++) {
    lookouts[0]?.heard();
    lookouts[0]?.see(seen({ address: `10.0.0.${at}:9100` }));
  }
  await turn();
  const { printers, leftOut, ways, state } = discovery.state();
  assert.deepEqual([printers.length, leftOut, ways[0]?.answers], [3, 2, 5]);
  assert.match(ways[0]?.problem ?? "", /More than 5 answers/);
  assert.equal(state, "done", "nobody looks any more, so nobody waits");
  await time.pass(4_000);
});

test("one printer that answers by several ways is one, reached by the best of them", () => {
  const found = createFoundList(10);
  const queue = seen({ via: "cups", transport: "spooler", address: "labels", marks: ["uuid:1"] });
  found.add({ ...queue, name: "labels", marks: ["tcp:10.0.0.20"] });
  found.add(seen({ transport: "ipp", address: "ipp://10.0.0.20:631/ipp/print", marks: ["uuid:1"] }));
  assert.equal(found.printers([]).length, 2, "nothing says yet that they are the same");
  found.add(seen({ via: "zebra", serial: "D2J1", languages: ["zpl"], marks: ["made:zebra:d2j1"] }));
  found.add(seen({ marks: ["uuid:1"], dpmm: 12, model: "ZT411-300dpi" }));
  found.add(seen({ via: "usb", transport: "usb", address: "/dev/usb/lp0", marks: ["made:zebra:d2j1"] }));
  const [printer, ...others] = found.printers([]);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [printer?.transport, printer?.address, printer?.languages, printer?.dpmm, printer?.serial],
    ["tcp", "10.0.0.20:9100", ["zpl"], 12, "D2J1"],
  );
  assert.deepEqual(
    printer?.ways.map(({ via, transport }) => `${via} ${transport}`),
    ["zebra tcp", "mdns tcp", "usb usb", "mdns ipp", "cups spooler"],
  );
});

test("two printers behind one address, or with the same meaningless serial number, stay two", async () => {
  const found = createFoundList(10);
  found.add(seen({ address: "10.0.0.20:9100", name: "One" }));
  found.add(seen({ address: "10.0.0.20:9101", name: "Two" }));
  assert.equal(found.printers([]).length, 2);
  const { devices, descriptions } = usbFolder({
    lp0: "MFG:Zebra;MDL:ZD420;CMD:ZPL;SN:00000000;",
    lp1: "MFG:Zebra;MDL:ZD420;CMD:ZPL;SN:00000000;",
  });
  assert.equal((await findOnce(usbFinder({ devices, descriptions }))).length, 2);
});

test("a USB printer with a device file is one with what the USB library sees; one without is found too", async () => {
  const folder = usbFolder({ lp0: "MFG:Zebra Technologies;MDL:ZTC ZD420;CMD:ZPL;SN:SN12;" });
  const devices = async () => [scriptedUsb({}, "SN12").device, scriptedUsb({}, "SN34").device];
  const found = await findOnce(usbFinder(folder, devices));
  assert.deepEqual(
    found.map(({ address, languages }) => [address, languages]),
    [
      [join(folder.devices, "lp0"), ["zpl"]],
      ["usb://0a5f:0166/SN34", ["zpl"]],
    ],
  );
  const noLibrary = async () => {
    throw new Error("getDevices error: no USB");
  };
  assert.equal((await findOnce(usbFinder(folder, noLibrary))).length, 1);
});

test("a printer the bridge has already is told by its id, however its address is written", () => {
  const found = createFoundList(10);
  const known = [
    completePrinter({ id: "unbound", transport: "tcp" }),
    completePrinter({ id: "dock", transport: "tcp", address: "10.0.0.20" }),
    completePrinter({ id: "till", transport: "serial", address: "/dev/ttyS0?baud=115200" }),
    completePrinter({ id: "office", transport: "ipp", address: "ipp://10.0.0.9/ipp/print" }),
  ];
  found.add(seen({}));
  found.add(seen({ via: "serial", transport: "serial", address: "/dev/ttyS0?baud=9600", sure: false }));
  found.add(seen({ transport: "ipp", address: "ipp://10.0.0.9:631/ipp/print" }));
  found.add(seen({ address: "10.0.0.21:9100" }));
  assert.deepEqual(
    found.printers(known).map(({ added }) => added),
    ["dock", "office", null, "till"],
  );
});

test("what printers say of themselves is understood: language, resolution, IEEE 1284 id", () => {
  assert.deepEqual(languagesIn("ZPL"), ["zpl"]);
  assert.deepEqual(languagesIn("application/vnd.zebra-zpl,application/vnd.zebra-epl"), ["zpl", "epl"]);
  assert.deepEqual(languagesIn("ESC/POS", "Epson TM-T88V"), ["escpos"]);
  assert.deepEqual(languagesIn(undefined, "TSC TTP-244"), ["tspl"]);
  assert.deepEqual(languagesIn("SATO CL4NX"), ["sbpl"]);
  assert.deepEqual(languagesIn("application/pdf,image/urf", "HP LaserJet"), []);
  assert.deepEqual(
    ["ZT411-203dpi", "ZTC ZT230-200dpi ZPL", "ZD621 300 dpi", "ZT610-600dpi", "LaserJet 1200dpi", ""].map(
      (name) => dpmmIn(name),
    ),
    [8, 8, 12, 24, undefined, undefined],
  );
  assert.deepEqual(
    readDeviceId("MANUFACTURER:Zebra Technologies ;COMMAND SET:ZPL;MODEL:ZTC ZT230;SN:52J1;CLASS:PRINTER;"),
    {
      maker: "Zebra Technologies",
      model: "ZTC ZT230",
      commandSet: "ZPL",
      serial: "52J1",
      description: undefined,
    },
  );
  assert.equal(plainText("a\u0000b\u001b[31m\u202ec\nd "), "a b [31m c d");
});

function usbFolder(ids: Record<string, string | undefined>) {
  const home = temporaryHome({ after: (end) => void process.once("exit", end as () => void) });
  const [devices, descriptions] = [join(home, "dev"), join(home, "sys")];
  mkdirSync(devices);
  writeFileSync(join(devices, "hiddev0"), "");
  for (const [name, id] of Object.entries(ids)) {
    writeFileSync(join(devices, name), "");
    mkdirSync(join(descriptions, name, "device"), { recursive: true });
    if (id !== undefined) writeFileSync(join(descriptions, name, "device", "ieee1284_id"), id);
  }
  return { devices, descriptions };
}

async function findOnce(finder: Finder) {
  const { discovery } = searchWith([finder]);
  let last: DiscoveryState | undefined;
  for await (const state of discovery.find()) last = state;
  return last?.printers ?? [];
}

test("usb: each device file is a printer, with what it told when it was plugged in, where that can be read", async () => {
  const places = usbFolder({
    lp0: "MFG:Zebra Technologies ;CMD:ZPL;MDL:ZTC ZD421-203dpi ZPL;CLS:PRINTER;SN:D6J1;\n",
    lp1: undefined,
  });
  const printers = await findOnce(usbFinder(places));
  assert.deepEqual(
    printers.map(({ name, transport, address, languages, dpmm, serial }) => [
      name,
      transport,
      address,
      languages,
      dpmm,
      serial,
    ]),
    [
      ["Zebra Technologies ZTC ZD421-203dpi ZPL", "usb", join(places.devices, "lp0"), ["zpl"], 8, "D6J1"],
      ["USB printer lp1", "usb", join(places.devices, "lp1"), [], null, null],
    ],
  );
  assert.deepEqual(await findOnce(usbFinder({ devices: "/does/not/exist", descriptions: "/neither" })), []);
});

test("serial: each port is listed as one that may have a printer, and the system's own list is read, or said why not", async () => {
  const ports = [
    { path: "/dev/ttyUSB0", manufacturer: "Zebra", pnpId: "usb-Zebra_ZD420_203dpi-if00" },
    { path: "COM3" },
  ];
  const printers = await findOnce(serialFinder(async () => ports));
  assert.deepEqual(
    printers.map(({ name, address, languages, sure }) => [name, address, languages, sure]),
    [
      ["Zebra on /dev/ttyUSB0", "/dev/ttyUSB0?baud=9600", ["zpl"], false],
      ["Serial port COM3", "COM3?baud=9600", [], false],
    ],
  );
  const path = process.env.PATH;
  process.env.PATH = "/does/not/exist";
  const { discovery } = searchWith([serialFinder()]);
  for await (const { ways } of discovery.find()) void ways;
  process.env.PATH = path;
  if (process.platform === "linux")
    assert.match(discovery.state().ways[0]?.problem ?? "", /cannot be listed: udevadm is not here/);
  for (const { sure, transport } of await findOnce(serialFinder())) {
    assert.deepEqual([sure, transport], [false, "serial"]);
  }
});
