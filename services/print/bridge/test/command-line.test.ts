import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Socket } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { systemClock } from "@frontdesk/kit/clock";
import { localIdentity } from "@frontdesk/kit/local-ca";
import { debianProgram } from "@frontdesk/testkit/debian";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { runPrintCommand } from "../src/cli/commands.ts";
import { bridgeProcess } from "./bridge-process.ts";
import { admitted, LABEL, simulator, speak } from "./support.ts";

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL("../src/command-line.ts", import.meta.url));

/** Runs "npx frontdesk print …" on a home, in this process. */
function typed(home: string, env: Record<string, string> = {}) {
  return async (...words: string[]) => {
    const [out, err]: [string[], string[]] = [[], []];
    const output = { print: (line: string) => out.push(line), complain: (line: string) => err.push(line) };
    const status = await runPrintCommand(words, { FRONTDESK_HOME: home, ...env }, output);
    return { status, stdout: out.join("\n"), stderr: err.join("\n") };
  };
}

/** The same in a process of its own. */
function spawned(home: string, env: Record<string, string> = {}) {
  return (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...words], {
      encoding: "utf8",
      env: { ...process.env, FRONTDESK_HOME: home, ...env },
    });
    return { status, stdout: stdout.trim(), stderr: stderr.trim() };
  };
}

test("beside a running bridge: a printer, a template and an origin are added, and a page prints with the token printed alone", async (t) => {
  const sim = await simulator(t);
  const b = await bridgeProcess(t);
  await b.start();
  const type = typed(b.home, { PRINT_LISTEN: `127.0.0.1:${b.port}` });
  const file = join(b.home, "badge.zpl");
  writeFileSync(file, "^XA^FO9,9^FD{{1}}^FS^XZ");
  assert.equal(
    (
      await type(
        "printer",
        "add",
        "dock",
        "--name",
        "Dock",
        "--transport",
        "tcp",
        "--address",
        sim.address,
        "--language",
        "zpl",
        "--dpmm",
        "8",
        "--rfid",
      )
    ).status,
    0,
  );
  assert.equal(
    (await type("template", "add", "badge", "--file", file)).stdout,
    "badge is kept as version 1.",
  );
  const approved = await type("origin", "approve", "https://app.example.com", "--printers", "labels=dock");
  assert.match(approved.stdout, /^fdprint_[\w-]{43}$/);
  const page = await admitted(t, b.url, approved.stdout);
  const job = await page.ended(
    await page.jobId("print.template", {
      printer: "labels",
      template: "badge",
      labels: [{ params: ["Ada"] }],
    }),
  );
  assert.equal(job.state, "Done");
  assert.equal(sim.printer.labels.length, 1);

  const printers = JSON.parse((await type("printer", "list", "--json")).stdout);
  assert.deepEqual(
    printers.map((printer: { id: string; rfid: boolean }) => [printer.id, printer.rfid]),
    [["dock", true]],
  );
  assert.deepEqual(JSON.parse((await type("template", "list", "--json")).stdout)[0].placeholders, [1]);
  assert.equal(JSON.parse((await type("origin", "list", "--json")).stdout)[0].printers, "labels=dock");
  const everything = await type("origin", "approve", "https://app.example.com", "--printers", "");
  assert.notEqual(everything.status, 0, "no printer named is not every printer");
  await type("origin", "approve", "https://app.example.com", "--rights", "templates");
  const again = await speak(t, b.url);
  const offer = (await again.ask("hello", { pairing: "" })).pairing as { code: string };
  await type("origin", "approve", "https://app.example.com", "--code", offer.code);
  const { printers: names, rights } = JSON.parse((await type("origin", "list", "--json")).stdout)[0];
  assert.deepEqual([names, rights], ["labels=dock", "templates"], "a further browser widens nothing");
  const denied = await speak(t, b.url, { origin: "https://new.example" });
  const { code } = ((await denied.call("hello")).error?.details?.pairing ?? {}) as { code?: string };
  const asking = JSON.parse((await type("origin", "list", "--json")).stdout);
  assert.deepEqual(
    asking
      .filter(({ state }: { state: string }) => state === "asks")
      .map((row: { code: string }) => row.code),
    [code],
  );
  const wrong = await type("origin", "approve", "https://new.example", "--code", "AAAAAA");
  assert.deepEqual([wrong.status, /waits with the code/.test(wrong.stderr)], [1, true]);
  assert.match(
    (await type("origin", "approve", "https://new.example", "--code", code ?? "")).stdout,
    /shows .* is let in/,
  );
  assert.ok((await b.pairings()).every(({ approved }) => approved));
  assert.equal((await type("origin", "revoke", "https://app.example.com")).status, 0);
  assert.equal(await page.code("print.raw", { printer: "labels", data: LABEL }), "ORIGIN_DENIED");
  assert.equal((await type("printer", "remove", "dock")).status, 0);
  assert.equal(await b.stop(), 0);
});

test("the administrator's token is shown to nobody else who holds the bridge's port", async (t) => {
  const b = await bridgeProcess(t);
  await b.start();
  await b.stop();
  const token = readFileSync(join(b.folder, "admin-token"), "utf8").trim();
  const foreign = await localIdentity({
    home: temporaryHome(t),
    name: "Somebody else",
    hosts: [],
    clock: systemClock,
  });
  const answer = (_request: unknown, response: ServerResponse) => void response.end('{"pairings":[]}');
  for (const server of [createServer(answer), createSecureServer(foreign, answer)]) {
    const heard: Buffer[] = [];
    const connections = new Set<Socket>();
    t.after(() => {
      server.close();
      for (const socket of connections) socket.destroy();
    });
    server.on("connection", (socket: Socket) => {
      connections.add(socket);
      socket.on("data", (bytes: Buffer) => void heard.push(bytes));
    });
    server.on("request", ({ headers }) => void heard.push(Buffer.from(JSON.stringify(headers))));
    await once(server.listen(b.port, "127.0.0.1"), "listening");
    const env = { ...process.env, FRONTDESK_HOME: b.home, PRINT_LISTEN: `127.0.0.1:${b.port}` };
    const { stdout } = await run(process.execPath, [PROGRAM, "origin", "list", "--json"], { env });
    assert.deepEqual(JSON.parse(stdout), []);
    assert.ok(connections.size > 0, "it was asked");
    assert.ok(!Buffer.concat(heard).includes(token));
    for (const socket of connections) socket.destroy();
    await once(server.close(), "close");
  }
});

test("commands read the same frontdesk.env as the bridge", async (t) => {
  const b = await bridgeProcess(t);
  await b.start();
  writeFileSync(join(b.home, "frontdesk.env"), `PRINT_LISTEN=127.0.0.1:${b.port}\n`);
  const page = await speak(t, b.url, { origin: "https://new.example" });
  const { code } = ((await page.call("hello")).error?.details?.pairing ?? {}) as { code?: string };
  assert.ok(code);
  assert.equal(JSON.parse((await typed(b.home)("origin", "list", "--json")).stdout)[0]?.code, code);
});

test("what is typed wrong is told in a sentence, with exit code 1, and changes nothing", async (t) => {
  const type = typed(temporaryHome(t));
  const wrong: Array<[words: string[], says: RegExp]> = [
    [["nonsense"], /not a command/],
    [["printer", "add", "x", "--transport", "pigeon"], /transport/],
    [["printer", "add", "x", "--address", "not an address"], /not host:port/],
    [["printer", "add", "x", "--dpmm", "many"], /dpmm/],
    [["printer", "remove", "x"], /no printer/],
    [["printer", "add", "x", "--colour", "red"], /colour/],
    [["template", "add", "x", "--file", "/does/not/exist"], /cannot be read/],
    [["origin", "approve", "example.com"], /not an origin/],
    [["origin", "approve", "https://example.com", "--rights", "fly"], /not a right/],
    [["license", "install", "/does/not/exist", "--key", "/neither"], /cannot be read/],
    [["simulate", "--port", "x"], /whole number/],
    [["simulate", "--announce", "--host", "::1"], /IPv4/],
    [["discover", "--loudly"], /loudly/],
  ];
  for (const [words, says] of wrong) {
    const { status, stderr } = await type(...words);
    assert.equal(status, 1, words.join(" "));
    assert.match(stderr, says, words.join(" "));
    assert.doesNotMatch(stderr, /at .*\.ts:\d/, "no stack trace for a person");
  }
  assert.deepEqual(JSON.parse((await type("printer", "list", "--json")).stdout), []);
  assert.deepEqual(JSON.parse((await type("origin", "list", "--json")).stdout), []);
});

test("a license is issued, installed and shown; one that nobody signed is refused", async (t) => {
  const home = temporaryHome(t);
  const type = typed(home);
  assert.equal((await type("license", "keys", home)).status, 0);
  const privateKey = join(home, "license-private.pem");
  const publicKey = join(home, "license-public.pem");
  const issued = await type(
    "license",
    "issue",
    "--key",
    privateKey,
    "--tier",
    "fleet",
    "--expires",
    "2099-01-01T00:00:00Z",
    "--no-rfid",
  );
  const file = join(home, "license.json");
  writeFileSync(file, issued.stdout);
  assert.match(
    (await type("license", "install", file, "--key", publicKey)).stdout,
    /fleet license is installed/,
  );
  const [shown] = JSON.parse((await type("license", "show", "--json")).stdout);
  assert.deepEqual(shown, {
    state: "active",
    tier: "fleet",
    rfidEncode: false,
    serving: true,
    expiresAt: "2099-01-01T00:00:00Z",
  });
  writeFileSync(file, issued.stdout.replace("fleet", "royal"));
  const forged = await type("license", "install", file, "--key", publicKey);
  assert.equal(forged.status, 1);
  assert.match(forged.stderr, /signature/);
});

test("trust puts the authority into the browsers' store and takes it out again, and says what it did", (t) => {
  if (process.platform !== "linux") return t.skip("the NSS store is Linux's");
  const certutil = debianProgram(t, "certutil", "libnss3-tools");
  if (!certutil) return;
  const home = temporaryHome(t);
  const type = spawned(home, { HOME: home });
  const added = type("trust", "--browsers-only", "--json");
  assert.equal(added.status, 0, added.stderr);
  const [report] = JSON.parse(added.stdout);
  assert.deepEqual([report.store, report.done], ["Chromium and Chrome", true]);
  const database = `sql:${join(home, ".pki", "nssdb")}`;
  const listed = () => spawnSync(certutil, ["-d", database, "-L"], { encoding: "utf8" }).stdout;
  assert.match(listed(), /Frontdesk print bridge\s+C,,/);
  assert.ok(existsSync(join(home, "print", "tls", "ca.key")));
  assert.equal(type("trust", "--browsers-only", "--remove").status, 0);
  assert.doesNotMatch(listed(), /Frontdesk/);
});

test("a key that trust discards is in the audit log, also where no store could be changed", (t) => {
  if (process.platform !== "linux") return t.skip("elsewhere the machine's own store would be changed");
  const home = temporaryHome(t);
  const type = spawned(home, { HOME: home, PATH: join(home, "no-programs") });
  assert.equal(type("trust", "--browsers-only", "--discard-key").status, 1);
  assert.ok(!existsSync(join(home, "print", "tls", "ca.key")));
  const entries = JSON.parse(type("audit", "--json").stdout) as Array<{ action: string }>;
  assert.deepEqual(
    entries.map(({ action }) => action),
    ["trust.key_discarded"],
  );
});

test("what the command line changes is in the audit log with the user's name, and the command lists it", async (t) => {
  const home = temporaryHome(t);
  const type = typed(home);
  const { username } = userInfo();
  assert.equal((await type("audit")).stdout, "Nothing was changed yet, or nothing fits.");
  const file = join(home, "badge.zpl");
  writeFileSync(file, "^XA^FO9,9^FD{{1}}^FS^XZ");
  await type("printer", "add", "dock", "--address", "127.0.0.1:9100");
  await type("template", "add", "badge", "--file", file);
  const { stdout: token } = await type("origin", "approve", "https://shop.example");
  await type("origin", "revoke", "https://shop.example");
  await type("template", "remove", "badge");
  assert.equal((await type("printer", "remove", "none")).status, 1);
  const all = await type("audit", "--json");
  const rows = JSON.parse(all.stdout) as Array<Record<string, string>>;
  assert.deepEqual(
    rows.map(({ actor, action, subject }) => [actor, action, subject]),
    [
      [`cli:${username}`, "template.removed", "badge"],
      [`cli:${username}`, "origin.revoked", "https://shop.example"],
      [`cli:${username}`, "token.issued", "https://shop.example"],
      [`cli:${username}`, "origin.approved", "https://shop.example"],
      [`cli:${username}`, "template.saved", "badge"],
      [`cli:${username}`, "printer.added", "dock"],
    ],
  );
  assert.ok(!all.stdout.includes(token), "no secret is in it");
  const some = async (...words: string[]) =>
    (JSON.parse((await type("audit", "--json", ...words)).stdout) as Array<{ action: string }>).map(
      ({ action }) => action,
    );
  assert.deepEqual(await some("--action", "origin"), ["origin.revoked", "origin.approved"]);
  assert.deepEqual(await some("--search", "SHOP", "--limit", "1"), ["origin.revoked"]);
  assert.match((await type("audit")).stdout, /printer\.added/);
  for (const words of [
    ["--action", "print"],
    ["--limit", "0"],
    ["--limit", "x"],
  ])
    assert.equal((await type("audit", ...words)).status, 1, words.join(" "));
});

test("what is not said of a printer that there is stays as it was", async (t) => {
  const type = typed(temporaryHome(t));
  const add = (...words: string[]) => type("printer", "add", "dock", ...words);
  await add("--address", "127.0.0.1:9", "--rfid", "--dpmm", "12", "--feedback", "none");
  assert.match((await add("--name", "New name")).stdout, /^dock is changed/);
  const known = async () => JSON.parse((await type("printer", "list", "--json")).stdout)[0];
  const { name, address, rfid, dpmm, feedback } = await known();
  assert.deepEqual(
    { name, address, rfid, dpmm, feedback },
    {
      name: "New name",
      address: "127.0.0.1:9",
      rfid: true,
      dpmm: 12,
      feedback: "none",
    },
  );
  await add("--no-rfid", "--transport", "virtual");
  const other = await known();
  assert.deepEqual(
    [other.rfid, other.feedback],
    [false, "printer"],
    "what it can tell goes by its transport",
  );
});
