import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { TYPE } from "@frontdesk/lease-options/option-table";
import { debianProgram } from "@frontdesk/testkit/debian";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { packetOf } from "./desk.ts";
import { LabClients, macOf } from "./lab-clients.ts";
import { type LabEngine, labEngine } from "./lab-engine.ts";

const ONE = `[[subnet]]\nnetwork = "10.0.0.0/8"\n[[subnet.pool]]\nrange = "10.1.0.1"\n`;
const MANY = `[[subnet]]\nnetwork = "10.0.0.0/8"\n[[subnet.pool]]\nrange = "10.1.0.1 - 10.2.255.255"\n`;
const HANG_MS = 60_000;

/** Waits for something that takes no longer than a hang would. */
async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const hung = Date.now() + HANG_MS;
  while (!(await isSo())) {
    assert.ok(Date.now() < hung, `waited in vain: ${what}`);
    await delay(20);
  }
}

function assertAlive(engine: LabEngine): void {
  const { exitCode, signalCode } = engine.process();
  assert.deepEqual([exitCode, signalCode], [null, null], engine.output());
}

test("a DISCOVER on a full pool is told in the log, and the engine goes on", async (t) => {
  const engine = await labEngine(temporaryHome(t), ONE);
  await engine.start();
  t.after(() => engine.kill("SIGKILL"));
  const clients = await LabClients.open(engine.port);
  t.after(() => clients.close());
  assert.ok(await clients.join(macOf(1)));
  void clients.ask(TYPE.discover, macOf(2), [], undefined, 1);
  await until("the log tells it", () => engine.output().includes("no free address"));
  assert.ok(await clients.renew(macOf(1), "10.1.0.1"));
  assertAlive(engine);
});

test("SIGHUP reloads the configuration, and stops nothing", async (t) => {
  const engine = await labEngine(temporaryHome(t), ONE);
  await engine.start();
  t.after(() => engine.kill("SIGKILL"));
  writeFileSync(engine.configPath, engine.toml(ONE.replace("10.1.0.1", "10.1.0.9")));
  engine.process().kill("SIGHUP");
  await until("it says so", () => engine.output().includes("configuration applied"));
  writeFileSync(engine.configPath, engine.toml("nonsense"));
  engine.process().kill("SIGHUP");
  await until("it says so", () => engine.output().includes("configuration rejected"));
  const clients = await LabClients.open(engine.port);
  t.after(() => clients.close());
  assert.ok(await clients.join(macOf(1)));
  assert.equal(clients.acked[0]?.ip, "10.1.0.9");
  await engine.kill("SIGTERM");
  assert.equal(engine.process().exitCode, 0, engine.output());
});

test("no request line ends the engine through the metrics listener", async (t) => {
  const engine = await labEngine(temporaryHome(t), ONE);
  await engine.start();
  t.after(() => engine.kill("SIGKILL"));
  const { port } = new URL(engine.metricsUrl);
  const ask = (line: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(Number(port), "127.0.0.1", () => {
        socket.write(`${line}\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
      });
      let heard = "";
      socket.on("data", (chunk) => {
        heard += chunk;
      });
      socket.on("error", () => {});
      socket.on("close", () => resolve(heard.split("\r\n", 1)[0] ?? ""));
    });
  for (const target of ["//", "http://", "*", "//[", "/%", "\\\\", "http://%", "/metrics/../x"]) {
    assert.match(await ask(`GET ${target} HTTP/1.1`), /^HTTP\/1\.1 4\d\d /, target);
  }
  assert.match(await ask("OPTIONS * HTTP/1.1"), /^HTTP\/1\.1 4\d\d /);
  assert.match(await ask("nonsense"), /^HTTP\/1\.1 400 /);
  assert.equal(await ask("GET /metrics?x=// HTTP/1.1"), "HTTP/1.1 200 OK");
  assertAlive(engine);
});

test("on a full disk nothing is acknowledged; when there is room again, service resumes by itself", {
  timeout: 180_000,
}, async (t) => {
  const engine = await labEngine(temporaryHome(t), MANY);
  t.after(() => engine.kill("SIGKILL"));
  await engine.start();
  await engine.kill("SIGTERM");
  // No file may grow beyond this: to whoever writes, that is a full disk. The signal that would come with it is ignored.
  await engine.start(["sh", "-c", "trap '' XFSZ; ulimit -S -f 1200; exec \"$@\"", "sh"]);
  const clients = await LabClients.open(engine.port);
  t.after(() => clients.close());
  const limit = (blocks: string) =>
    execFileSync("prlimit", ["--pid", String(engine.process().pid), `--fsize=${blocks}:`]);
  let next = 0;
  await until("the disk is full", async () => {
    await clients.join(macOf(next++), 300);
    return engine.output().includes("could not be written");
  });
  limit("0");
  const acknowledged = clients.acked.length;
  for (let i = 0; i < 5; i++) assert.equal(await clients.join(macOf(next++), 100), false);
  assert.equal(clients.acked.length, acknowledged);
  assertAlive(engine);
  limit("unlimited");
  await until("a client is served again", () => clients.join(macOf(next++), 300));
  const last = clients.acked.at(-1);
  assert.ok(last && (await clients.renew(last.mac, last.ip)));
  await engine.kill("SIGTERM");
  assert.equal(engine.process().exitCode, 0, engine.output());
});

test("a packet from port 0, where nobody can be answered, harms nothing", async (t) => {
  if (process.getuid?.() !== 0) return t.skip("only root can send from port 0");
  const engine = await labEngine(temporaryHome(t), MANY);
  await engine.start();
  t.after(() => engine.kill("SIGKILL"));
  const python = debianProgram(t, "python3", "python3");
  if (!python) return;
  const packet = Buffer.from(packetOf(TYPE.discover, { mac: macOf(1) })).toString("hex");
  // A UDP header of one's own: source port 0, no checksum.
  const program = `
import socket, struct, sys
data = bytes.fromhex(sys.argv[1])
udp = struct.pack("!HHHH", 0, int(sys.argv[2]), 8 + len(data), 0) + data
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP)
raw.sendto(udp, ("127.0.0.1", 0))`;
  execFileSync(python, ["-c", program, packet, String(engine.port)]);
  const clients = await LabClients.open(engine.port);
  t.after(() => clients.close());
  assert.ok(await clients.join(macOf(2)));
  assertAlive(engine);
});
