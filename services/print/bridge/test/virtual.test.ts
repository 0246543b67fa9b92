import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { createLabelRenderer } from "../src/adapters/label-renderer.ts";
import { completePrinter } from "../src/adapters/provisioning.ts";
import { labelDrawings } from "../src/backends/label-drawings.ts";
import { createVirtualBackend } from "../src/backends/virtual-backend.ts";
import { labelResults } from "../src/domain/job.ts";
import { admitted, bridge, LABEL } from "./support.ts";

const GOLDEN = fileURLToPath(new URL("./golden/", import.meta.url));

const LABELS: Readonly<Record<string, string>> = {
  address:
    "^XA^CI28^FO40,40^A0N,50,50^FDAda Lovelace^FS^FO40,100^A0N,30,30^FD12 St James's Square^FS^FO40,150^GB400,3,3^FS^XZ",
  parcel: "^XA^FO40,40^BCN,100,Y,N,N^FD1234567890^FS^FO40,200^BQN,2,5^FDQA,https://example.com/p/1^FS^XZ",
  escaped: "^XA^CI28^FO40,40^A0N,40,40^FH_^FD100_5E2 _7E caf_C3_A9^FS^XZ",
};

/** `UPDATE_GOLDEN=1` writes what is drawn now: look at the pictures before committing them. */
function assertGolden(name: string, picture: Uint8Array): void {
  const path = `${GOLDEN}${name}.png`;
  if (process.env.UPDATE_GOLDEN) {
    mkdirSync(GOLDEN, { recursive: true });
    writeFileSync(path, picture);
  }
  assert.ok(existsSync(path), `there is no golden picture ${name}`);
  const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
  assert.equal(digest(picture), digest(readFileSync(path)), `${name} is drawn differently`);
}

test("labels are drawn as the golden pictures show", async (t) => {
  const renderer = createLabelRenderer();
  t.after(() => renderer.close());
  for (const [name, zpl] of Object.entries(LABELS)) {
    const [picture] = await renderer.render({ zpl, widthMm: 60, heightMm: 40, dpmm: 8 });
    assertGolden(name, picture as Uint8Array);
  }
});

test("the virtual printer turns each label of a job into a picture that the administrator can see", async (t) => {
  const b = await bridge(t);
  b.addPrinter({ id: "screen", transport: "virtual", widthMm: 60, heightMm: 40 });
  const page = await admitted(t, b.url, b.allow());
  const data = `${LABELS.address}${LABELS.parcel}`;
  const job = await page.ended(await page.jobId("print.raw", { printer: "screen", data }));
  assert.deepEqual([job.state, job.labels.length], ["Done", 2]);
  const admin = { headers: { authorization: `Bearer ${b.adminToken}` } };
  const { labels } = (await (await fetch(`${b.http}/api/v1/admin/printers/screen/labels`, admin)).json()) as {
    labels: string[];
  };
  assert.equal(labels.length, 2);
  const picture = await fetch(`${b.http}/api/v1/admin/printers/screen/labels/${labels[1]}`, admin);
  assert.equal(picture.headers.get("content-type"), "image/png");
  assertGolden("address", new Uint8Array(await picture.arrayBuffer()));
  assert.equal((await fetch(`${b.http}/api/v1/admin/printers/screen/labels/${labels[1]}`)).status, 401);
  assert.equal(
    (await fetch(`${b.http}/api/v1/admin/printers/screen/labels/..%2f..%2fconfig.png`, admin)).status,
    400,
  );
});

test("the preview of a template with its test values is the golden picture", async (t) => {
  const b = await bridge(t);
  const response = await fetch(`${b.http}/api/v1/admin/templates/preview`, {
    method: "POST",
    headers: { authorization: `Bearer ${b.adminToken}`, "content-type": "application/json" },
    body: JSON.stringify({
      language: "zpl",
      dpmm: 12,
      widthMm: 60,
      heightMm: 40,
      body: "^XA^FO40,40^A0N,70,70^FD{{1}}^FS^FO40,140^A0N,40,40^FD{{2}}^FS^FO40,220^BY2^BCN,100,Y^FD{{3}}^FS^XZ",
      values: ["Grace ^ Hopper", "Navy ~ 1944", "V-0042"],
    }),
  });
  const { pictures, problem } = (await response.json()) as { pictures: string[]; problem: string | null };
  assert.deepEqual([problem, pictures.length], [null, 1]);
  assertGolden("preview", Buffer.from(pictures[0] ?? "", "base64"));
});

test("ZPL that encodes a tag reports it on a virtual RFID printer", async (t) => {
  const b = await bridge(t);
  b.addPrinter({ id: "screen", transport: "virtual", rfid: true });
  const page = await admitted(t, b.url, b.allow());
  const job = await page.ended(
    await page.jobId("print.raw", { printer: "screen", data: "^XA^RFW,H^FD3034AA^FS^FO9,9^FDx^FS^XZ" }),
  );
  assert.deepEqual(job.labels, [{ index: 0, printed: true, encoded: true, voided: false, epc: "3034AA" }]);
});

test("a virtual RFID printer that has drawn a job tells the same of it after a restart", async () => {
  const kept: string[] = [];
  const backend = createVirtualBackend({
    printer: completePrinter({ id: "screen", transport: "virtual", rfid: true }),
    draw: async () => [new Uint8Array()],
    pictures: {
      list: () => [...kept].reverse(),
      max: 200,
      put: async (_printer, pictures) => void kept.push(...pictures.map(([name]) => name)),
    },
    stamp: () => "1",
  });
  const job = {
    id: "j1",
    data: Buffer.from("^XA^RFW,H^FD3034AA^FS^FO9,9^FDx^FS^XZ"),
    copies: 1,
    labels: 1,
    rfid: true,
    odometer: undefined,
    spoolerJob: undefined,
  };
  const drawn = await backend.send(job, () => {}).outcome;
  assert.equal(drawn.type === "done" && drawn.verification, "rfid");
  assert.deepEqual(await backend.recover(job, () => {}).outcome, drawn);
});

test("on the first start there is a virtual printer to try; removed, it stays away", async (t) => {
  const home = temporaryHome(t);
  const b = await bridge(t, { home, firstStart: true });
  assert.deepEqual(
    b.registry.printers.all().map(({ id, transport }) => [id, transport]),
    [["virtual", "virtual"]],
  );
  b.registry.printers.remove("virtual");
  await b.close();
  const again = await bridge(t, { home, firstStart: true });
  assert.deepEqual(again.registry.printers.all(), []);
});

test("a virtual printer calls nothing printed of which there is no picture", async () => {
  let pictures = 0;
  let left = 0;
  const backend = createVirtualBackend({
    printer: completePrinter({ id: "screen", transport: "virtual" }),
    draw: async () => (left-- > 0 ? [new Uint8Array()] : []),
    pictures: { list: () => [], max: 200, put: async () => {} },
    stamp: () => "1",
  });
  const data = Buffer.from("^XA^FDx^FS^XZ^XA^FDx^FS^XZ");
  const job = { id: "j1", data, copies: 1, labels: 2, rfid: false };
  const printed = async () => {
    left = pictures;
    return (await backend.send({ ...job, odometer: undefined, spoolerJob: undefined }, () => {}).outcome)
      .type;
  };
  assert.equal(await printed(), "failed");
  pictures = 1;
  assert.equal(await printed(), "failed");
  pictures = 2;
  assert.equal(await printed(), "done");
});

test("of a label that cannot be drawn, a sentence is kept, not its data", async () => {
  const data = Buffer.from(`^XA^FO0,0^GFA,8,8,1,${"zF\n".repeat(5_000)}^FS^XZ`);
  const backend = createVirtualBackend({
    printer: completePrinter({ id: "screen", transport: "virtual" }),
    draw: () => Promise.reject(new Error(`cannot draw\n${data}`)),
    pictures: { list: () => [], max: 200, put: async () => {} },
    stamp: () => "1",
  });
  const job = {
    id: "j1",
    data,
    copies: 1,
    labels: 1,
    rfid: false,
    odometer: undefined,
    spoolerJob: undefined,
  };
  const outcome = await backend.send(job, () => {}).outcome;
  assert.ok(outcome.type === "failed");
  assert.match(
    outcome.error.message,
    /^Of the data 0 pictures could be drawn: cannot draw [\x20-\x7e]{1,188}$/,
  );
});

test("a label that cannot be drawn costs no other label of its job its picture", async () => {
  const kept: string[] = [];
  const backend = createVirtualBackend({
    printer: completePrinter({ id: "screen", transport: "virtual" }),
    draw: async ({ zpl }) => {
      if (zpl.includes("bad")) throw new Error("no labels parsed");
      return [new Uint8Array()];
    },
    pictures: {
      list: () => [],
      max: 200,
      put: async (_printer, pictures) => void kept.push(...pictures.map(([name]) => name)),
    },
    stamp: () => "1",
  });
  const data = Buffer.from("^XA^FDa^FS^XZ^XA^FDbad^FS^XZ^XA^FDc^FS^PQ2^XZ");
  const job = { id: "j1", data, copies: 1, labels: 4, rfid: false };
  const { outcome } = backend.send({ ...job, odometer: undefined, spoolerJob: undefined }, () => {});
  const told = await outcome;
  assert.ok(told.type === "failed");
  assert.deepEqual([told.error.code, told.count.asked, told.count.printed], ["LABELS_MISSING", 4, 3]);
  const printed = labelResults(told.count).map((label) => label.printed);
  assert.deepEqual(printed, [true, false, true, true]);
  assert.deepEqual(kept, ["1-j1-00001.png", "1-j1-00003.png"]);
});

test("the labels of a job are drawn one by one, as they are drawn together, and only those that are kept", async (t) => {
  const renderer = createLabelRenderer();
  t.after(() => renderer.close());
  const size = { widthMm: 60, heightMm: 40, dpmm: 8 };
  const job = [
    "^XA^LH30,30^CF0,60^XZ~DGR:A.GRF,8,1,FF818181818181FF",
    "^XA^DFR:F.ZPL^FO20,90^FN1^FS^XZ",
    "^XA^FO9,9^FDone^FS^BY4^LH50,10^XZ",
    "^XA^FO9,9^BCN,60^FD123^FS^XZ ^XA^CF0,20^XZ",
    "^XA^XFR:F.ZPL^FN1^FDthr\u00e9e^FS^FO9,9^XGR:A.GRF,5,5^FS^XZ",
    "^XA^FO9,9^FDfour^FS^XZ",
  ].join("\n");
  const together = await renderer.render({ zpl: job, ...size });
  const drawings = [...labelDrawings(Buffer.from(job), 3)];
  assert.deepEqual(
    drawings.map(({ number }) => number),
    [2, 3, 4],
  );
  for (const { number, zpl = "" } of drawings)
    assert.deepEqual((await renderer.render({ zpl, ...size })).at(-1), together[number - 1], `${number}`);
});

/** Each label of a job drawn by itself, and all of them drawn together. */
async function bothWays(t: TestContext, job: string) {
  const renderer = createLabelRenderer();
  t.after(() => renderer.close());
  const size = { widthMm: 60, heightMm: 40, dpmm: 8 };
  const alone: Array<Uint8Array | undefined> = [];
  for (const { zpl = "" } of labelDrawings(Buffer.from(job), 200))
    alone.push((await renderer.render({ zpl, ...size })).at(-1));
  return { alone, together: await renderer.render({ zpl: job, ...size }) };
}

test("a graphic that is stored inside of a label is there for the labels after it", async (t) => {
  const store = `~DGR:L.GRF,32,4,${"FFFFFFFF".repeat(8)}\n`;
  const use = "^FO9,9^XGR:L.GRF,3,3^FS";
  const { alone, together } = await bothWays(t, `^XA${store}${use}^XZ^XA${use}^FO60,60^A0N,30^FDb^FS^XZ`);
  assert.deepEqual(alone, together);
});

test("a setting that leaves out parameters leaves them as earlier labels have set them", async (t) => {
  const label = (zpl: string) => `^XA${zpl}^XZ`;
  for (const labels of [
    ["^BY4,3,50^FO9,9^BCN^FD12^FS", "^BY,,90^FO9,9^BCN^FD12^FS", "^FO9,9^BCN^FD12^FS"],
    ["^LH50,50^FO9,9^A0N,30^FDa^FS", "^LH,20^FO9,9^A0N,30^FDb^FS", "^FO9,9^A0N,30^FDc^FS"],
    ["^CF0,60,20^FO9,9^FDa^FS", "^CF,30^FO9,9^FDb^FS", "^FO9,9^FDc^FS"],
    ["^CWZ,0^CWY,D^FO9,9^AZN,30^FDa^FS", "^FO9,9^AZN,30^FDb^FS"],
  ]) {
    const { alone, together } = await bothWays(t, labels.map(label).join(""));
    assert.deepEqual(alone, together, labels[0]);
  }
});

test("a graphic or a format that is stored again or deleted is drawn once, however long the job", () => {
  const graphic = (n: number) => `~DGR:S.GRF,8,1,${String(n).padStart(16, "0")}\n`;
  const label = "^XA^FO0,0^XGR:S.GRF^FS^XZ";
  const format = (n: number) => `^XA^DFR:F.ZPL^FO9,9^FN1^FS^FX${n}^XZ`;
  const jobs: Array<(n: number) => string> = [
    (n) => graphic(n) + label,
    (n) => `${format(n)}^XA^XFR:F^FN1^FDx^FS^XZ`,
    (n) => `${graphic(n).replace("S.", `S${n}.`)}${label}^XA^IDR:S${n}.GRF^FS^XZ`,
    (n) => `${graphic(n).replace("S.", `S${n}.`)}${label}^XA^IDR:S*.GRF^FS^XZ`,
    (n) => `^XA^LH${1_000 + n},9^FO9,9^FDx^FS^XZ`,
  ];
  for (const one of jobs) {
    const job = Array.from({ length: 100 }, (_, n) => one(1_000 + n)).join("");
    const [, second, ...more] = [...labelDrawings(Buffer.from(job), 200)].map(({ zpl }) => zpl?.length);
    assert.deepEqual(new Set(more), new Set([second]), one(0));
  }
});

/** The labels of a job that can be put together, and how long their ZPL is. */
const lengthsOf = (job: string) =>
  [...labelDrawings(Buffer.from(job, "latin1"), 200)].map(({ zpl }) => zpl?.length);

test("settings that are stored with every format of a job take no more room than the job and a little", () => {
  const label = "^XA^FO9,9^FDx^FS^XZ";
  const formats = (setting: (n: number) => string) =>
    Array.from({ length: 40_000 }, (_, n) => `^XA${setting(n)}^DF${n}^XZ`).join("");
  const many = Array.from({ length: 1_000 }, (_, n) => `^CF${n.toString(2).replaceAll("0", ",")}`).join("");
  for (const [what, job] of [
    ["many", `^XA${many}^XZ${formats(() => "")}`],
    ["changing", `^XA${many}^XZ${formats((n) => `^LH${n}`)}`],
    [
      "one format under many names",
      `^XA${"^DFA".repeat(10)}${formats(() => "").replaceAll(/\^X[AZ]/g, "")}^XZ`,
    ],
  ] as const)
    assert.deepEqual(lengthsOf(label + job + label), [label.length, undefined], what);
  const long = `^XA^CF0,${"1".repeat(1_000_000)}^XZ${formats(() => "")}`;
  const [length = Number.NaN] = lengthsOf(long + label);
  assert.ok(length < long.length, `what is no setting is passed over, ${length}`);
});

test("stored objects and deletions by wildcards cost no more than is bounded", () => {
  const job = (graphics: number, deletions: number) =>
    `${Array.from({ length: graphics }, (_, n) => `~DG${n},`).join("")}^XA${"^IDX*".repeat(deletions)}^XZ^XA^FDx^FS^XZ`;
  assert.notEqual(lengthsOf(job(500, 500))[0], undefined);
  assert.equal(lengthsOf(job(50_000, 50_000))[0], undefined);
});

test("a job whose labels cannot be put together fails, and says why", async () => {
  const backend = createVirtualBackend({
    printer: completePrinter({ id: "screen", transport: "virtual" }),
    draw: async () => [new Uint8Array()],
    pictures: { list: () => [], max: 200, put: async () => {} },
    stamp: () => "1",
  });
  const formats = Array.from({ length: 10_000 }, (_, n) => `^XA^LH${n}^CF0,${"1".repeat(500)}^DF${n}^XZ`);
  const data = Buffer.from(`^XA^FDa^FS^XZ${formats.join("")}^XA^FDb^FS^XZ`);
  const job = { id: "j1", data, copies: 1, labels: 2, rfid: false };
  const { outcome } = backend.send({ ...job, odometer: undefined, spoolerJob: undefined }, () => {});
  const told = await outcome;
  assert.ok(told.type === "failed");
  assert.deepEqual([told.error.code, told.count.printed], ["LABELS_MISSING", 1]);
  assert.match(told.error.message, /stores or deletes too much/);
});

test("a label that takes too long to draw costs no other label its picture", async (t) => {
  const renderer = createLabelRenderer(1);
  t.after(() => renderer.close());
  const size = { widthMm: 50, heightMm: 30, dpmm: 8 };
  const outcomes = await Promise.allSettled([
    renderer.render({ zpl: LABEL, ...size }),
    renderer.render({ zpl: LABEL, ...size }),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["rejected", "rejected"],
    "each has its own time",
  );
  const patient = createLabelRenderer();
  t.after(() => patient.close());
  assert.equal((await patient.render({ zpl: LABEL, ...size })).length, 1);
});
