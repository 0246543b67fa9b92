import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { promisify } from "node:util";
import { enterOwnNetwork, neighbour } from "@frontdesk/testkit/own-network";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { type Answer, encode } from "dns-packet";
import { ZEBRA_QUESTION } from "../src/adapters/zebra-packet.ts";
import type { DiscoveryState } from "../src/domain/discovery.ts";
import { announceByAvahi, PROGRAM, runSimulator } from "./discovery-peers.ts";
import { admitted, bridge, LABEL, simulator, until } from "./support.ts";
import { startCups, startIppPrinter } from "./transport-peers.ts";

const run = promisify(execFile);
const TYPE = "_pdl-datastream._tcp.local";

const PROGRAMS = {
  "avahi-daemon": "avahi-daemon",
  "dbus-daemon": "dbus-daemon",
  cupsd: "cups",
  lpadmin: "cups-client",
  ippeveprinter: "cups-ipp-utils",
  udevadm: "udev",
};

async function admin(b: Awaited<ReturnType<typeof bridge>>) {
  const headers = { authorization: `Bearer ${b.adminToken}` };
  const ask = async (method: string) => {
    const response = await fetch(`${b.http}/api/v1/admin/discovery`, { method, headers });
    return { status: response.status, state: (await response.json()) as DiscoveryState };
  };
  const search = async () => {
    const { status, state } = await ask("POST");
    assert.deepEqual([status, state.state], [202, "searching"]);
    let last = state;
    await until("the search is over", async () => {
      last = (await ask("GET")).state;
      return last.state === "done";
    });
    return last;
  };
  return {
    headers,
    ask,
    /** Searches, and again while those who announce have not begun to, as on a busy machine. */
    search: async (complete: (state: DiscoveryState) => boolean) => {
      let state = await search();
      for (let again = 0; again < 5 && !complete(state); again++) state = await search();
      return state;
    },
  };
}

const named = (state: DiscoveryState, name: string) => {
  const found = state.printers.filter((printer) => printer.name === name);
  assert.equal(found.length, 1, `${name} in ${JSON.stringify(state.printers, null, 1)}`);
  return found[0] as DiscoveryState["printers"][number];
};

test("printers are found", async (t) => {
  if (!enterOwnNetwork(t, PROGRAMS)) return;
  const office = neighbour(t, { ours: "10.77.0.1/24", theirs: "10.77.0.2/24" });
  const warehouse = neighbour(t, { ours: "10.78.0.1/24", theirs: "10.78.0.2/24" });
  const avahi = announceByAvahi(t, office.words, "office", {
    "Label Printer": [
      {
        type: "_pdl-datastream._tcp",
        port: 9100,
        texts: ["ty=Zebra ZT411-300dpi", "usb_CMD=ZPL", "UUID=4509a320-00a0-008f-00b6-00074d4108bd"],
      },
      { type: "_ipp._tcp", port: 631, texts: ["rp=ipp/print", "ty=Zebra ZT411-300dpi"] },
      { type: "_printer._tcp", port: 515 },
    ],
    "Receipts, Floor 2.1 & Bar": [
      {
        type: "_pdl-datastream._tcp",
        port: 9101,
        texts: ["ty=EPSON TM-T88VI", "pdl=application/vnd.escpos"],
      },
    ],
    "Old One": [{ type: "_printer._tcp", port: 515, texts: ["rp=raw"] }],
    "Office Laser": [{ type: "_ipps._tcp", port: 631, texts: ["rp=printers/laser", "pdl=application/pdf"] }],
  });
  const sim = runSimulator(t, warehouse.words, "--host", "10.78.0.2", "--announce", "--name", "Dock 7");
  const cups = await startCups(t);
  if (!cups || !(await avahi)) return;
  cups.addQueue("dock", "socket://10.78.0.2:9100", "-D", "The dock's queue");
  cups.addQueue("usb-zebra", "usb://Zebra%20Technologies/ZTC%20ZD421-203dpi%20ZPL?serial=D6J1");
  await sim;
  const b = await bridge(t, { env: { PRINT_DISCOVERY_MS: "2000" } });
  b.addPrinter({ id: "receipts", transport: "tcp", address: "10.77.0.2:9101" });
  const desk = await admin(b);

  await t.test("by what they announce, by Zebra's discovery and in CUPS, each once", async () => {
    assert.equal((await desk.ask("GET")).state.state, "idle");
    const state = await desk.search(({ printers }) => printers.filter(({ sure }) => sure).length >= 5);
    const label = named(state, "Label Printer");
    assert.deepEqual(
      [label.transport, label.address, label.model, label.languages, label.dpmm, label.added],
      ["tcp", "10.77.0.2:9100", "Zebra ZT411-300dpi", ["zpl"], 12, null],
    );
    assert.ok(label.ways.some(({ address }) => address === "ipp://10.77.0.2:631/ipp/print"));
    const receipts = named(state, "Receipts, Floor 2.1 & Bar");
    assert.deepEqual(
      [receipts.address, receipts.languages, receipts.added],
      ["10.77.0.2:9101", ["escpos"], "receipts"],
    );
    assert.deepEqual([named(state, "Old One").sure, named(state, "Old One").transport], [false, "tcp"]);
    const laser = named(state, "Office Laser");
    assert.deepEqual(
      [laser.transport, laser.address, laser.languages],
      ["ipp", "ipps://10.77.0.2:631/printers/laser", []],
    );
    const dock = named(state, "Dock 7");
    assert.deepEqual(
      [dock.transport, dock.address, dock.serial, dock.languages, dock.dpmm],
      ["tcp", "10.78.0.2:9100", "SIM00001", ["zpl"], 8],
    );
    assert.deepEqual(
      dock.ways.map(({ via, transport, address }) => `${via} ${transport} ${address}`).sort(),
      ["cups spooler dock", "mdns tcp 10.78.0.2:9100", "zebra tcp 10.78.0.2:9100"],
    );
    const usb = named(state, "usb-zebra");
    assert.deepEqual(
      [usb.transport, usb.address, usb.languages, usb.dpmm, usb.serial],
      ["spooler", "usb-zebra", ["zpl"], 8, "D6J1"],
    );
    assert.deepEqual(
      state.ways.map(({ via, state, problem }) => [via, state, problem]),
      ["mdns", "zebra", "cups", "usb", "serial"].map((via) => [via, "done", null]),
    );
  });

  await t.test("while the search goes on the console hears of each, and who asks joins it", async () => {
    const events = await fetch(`${b.http}/api/v1/admin/events`, { headers: desk.headers });
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
    t.after(() => void reader?.cancel());
    const [first, second] = await Promise.all([desk.ask("POST"), desk.ask("POST")]);
    assert.equal(first.state.startedAt, second.state.startedAt);
    const states: DiscoveryState[] = [];
    for (let text = ""; states.at(-1)?.state !== "done"; ) {
      text += (await reader?.read())?.value ?? "";
      const parts = text.split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts)
        if (part.startsWith("event: discovery")) states.push(JSON.parse(part.split("\ndata: ")[1] ?? ""));
    }
    assert.ok(states.some(({ state, printers }) => state === "searching" && printers.length > 0));
    assert.ok(named(states.at(-1) as DiscoveryState, "Dock 7"));
  });

  await t.test(
    "by the command line, for people and for programs; what is found can be added and printed to",
    async () => {
      const home = temporaryHome(t);
      const env = { ...process.env, FRONTDESK_HOME: home, PRINT_DISCOVERY_MS: "2000" };
      const type = (...words: string[]) => run(process.execPath, [PROGRAM, ...words], { env });
      const [people, programs] = await Promise.all([type("discover"), type("discover", "--json")]);
      assert.match(people.stdout, /^Dock 7\tZebra ZT411-203dpi\ttcp\t10\.78\.0\.2:9100\tzpl\t8/m);
      const line = /To add one: npx frontdesk print (printer add .*)/.exec(people.stderr)?.[1];
      assert.ok(line, people.stderr);
      const dock = (JSON.parse(programs.stdout) as DiscoveryState["printers"]).find(
        ({ name }) => name === "Dock 7",
      );
      assert.ok(dock);
      b.addPrinter({
        id: "found",
        transport: dock.transport,
        address: dock.address,
        languages: dock.languages,
      });
      const page = await admitted(t, b.url, b.allow());
      const job = await page.ended(await page.jobId("print.raw", { printer: "found", data: LABEL }));
      assert.deepEqual([job.state, job.verification], ["Done", "printer"]);
      const state = await desk.search(({ printers }) => printers.some(({ name }) => name === "Dock 7"));
      assert.equal(named(state, "Dock 7").added, "found");
    },
  );

  await t.test("an IPP printer that is not ours is found by what it announces", async () => {
    const peer = await startIppPrinter(t, { announced: true });
    assert.ok(peer);
    const uri = URL.parse(peer.entry.address ?? "");
    const ours = ({ printers }: DiscoveryState) =>
      printers.find(({ ways }) =>
        ways.some(({ transport, address }) => transport === "ipp" && address.includes(`:${uri?.port}/`)),
      );
    const found = ours(await desk.search((state) => Boolean(ours(state)?.languages.includes("zpl"))));
    assert.equal(found?.name, "Label");
    assert.ok(found?.languages.includes("zpl"));
  });
});

test("hostile answers are counted and ignored, lead nowhere but to this link, and hold up neither printing nor the bridge's end", async (t) => {
  if (!enterOwnNetwork(t)) return;
  const sim = await simulator(t);
  const b = await bridge(t, {
    env: {
      PRINT_DISCOVERY_MS: "60000",
      PRINT_DISCOVERY_INTERFACES: "lo",
      PRINT_DISCOVERY_WAYS: "mdns,zebra",
    },
  });
  b.addPrinter({ id: "dock", transport: "tcp", address: sim.address });
  const hostile = createSocket({ type: "udp4", reuseAddr: true });
  t.after(() => void hostile.close());
  hostile.bind(4201);
  await once(hostile, "listening");
  let asked = 0;
  hostile.on("message", (bytes, from) => {
    assert.deepEqual(bytes, ZEBRA_QUESTION);
    if (asked++ > 0) return;
    const lying = Buffer.alloc(256);
    lying.set([0x3a, 0x2c, 0x2e, 3]);
    lying.write("\u001b[2J<script>", 12, "latin1");
    lying.set([192, 0, 2, 1], 72);
    const nonsense = Array.from({ length: 2_000 }, (_, at) => Buffer.from(`nonsense ${at}`));
    for (const answer of [lying, Buffer.alloc(0), ...nonsense]) hostile.send(answer, from.port, from.address);
  });
  const flood = createSocket({ type: "udp4", reuseAddr: true });
  t.after(() => void flood.close());
  flood.bind(0, "127.0.0.1");
  await once(flood, "listening");
  flood.setMulticastInterface("127.0.0.1");
  const desk = await admin(b);
  assert.equal((await desk.ask("POST")).status, 202);
  await until("it searches", () => asked > 0);
  const shout = async (count: number, packet: (at: number) => Buffer) => {
    for (let at = 0; at < count; at++) {
      flood.send(packet(at), 5353, "224.0.0.251");
      // More at once would only be dropped before anybody has heard it.
      if (at % 50 === 49) await turn();
    }
  };
  const decoy = (at: number) => {
    const instance = `Decoy ${at}.${TYPE}`;
    const answers: Answer[] = [
      { name: TYPE, type: "PTR", ttl: 120, data: instance },
      { name: instance, type: "SRV", ttl: 120, data: { target: "decoy.local", port: 10_000 + at } },
      { name: "decoy.local", type: "A", ttl: 120, data: "127.0.0.1" },
    ];
    return encode({ type: "response", answers });
  };
  const noise = shout(600, decoy).then(() => shout(6_000, (at) => Buffer.from(`not dns ${at}`)));
  const page = await admitted(t, b.url, b.allow());
  const job = await page.ended(await page.jobId("print.raw", { printer: "dock", data: LABEL }));
  assert.equal(job.state, "Done");
  assert.equal(
    (await desk.ask("GET")).state.state,
    "searching",
    "the label came out while the search went on",
  );
  await noise;
  let { state } = await desk.ask("GET");
  await until("everything was heard", async () => {
    state = (await desk.ask("GET")).state;
    const [mdns, zebra] = state.ways;
    return mdns?.problem && mdns.malformed > 0 && zebra && zebra.malformed > 0 && zebra.answers > 0;
  });
  assert.match(state.ways[0]?.problem ?? "", /^More than 2000 answers came/);
  const decoys = state.printers.filter(({ name }) => name.startsWith("Decoy"));
  assert.ok(
    state.printers.length <= 200 && state.leftOut > 0,
    `${state.printers.length} and ${state.leftOut}`,
  );
  const others = state.printers.filter((printer) => !decoys.includes(printer));
  assert.deepEqual(
    others.map(({ name, address, model }) => [name, address, model]),
    [["Zebra [2J<script>", "127.0.0.1:9100", "Zebra [2J<script>"]],
  );
});
