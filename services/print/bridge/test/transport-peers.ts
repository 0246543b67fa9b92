import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { debianProgram } from "@frontdesk/testkit/debian";
import { freePort } from "@frontdesk/testkit/free-port";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { tetheredProcess } from "@frontdesk/testkit/tethered-process";
import type { completePrinter } from "../src/adapters/provisioning.ts";
import { byteSink, cable } from "./cable.ts";
import { startDnsSd } from "./dns-sd.ts";
import { simulator, until } from "./support.ts";

type Entry = Omit<Parameters<typeof completePrinter>[0], "id">;

/** A real printer, spooler or device behind one transport, and what can be said of it. */
export interface Peer {
  readonly entry: Entry;
  /** An address of the same kind where nothing is; a transport without addresses has none. */
  readonly away?: string;
  /** How a job's end is known. */
  readonly verification: string;
  /** Every byte that arrived, in order; a printer of pictures keeps none. */
  readonly received?: () => Buffer;
}

type FindPeer = (t: TestContext) => Promise<Peer | undefined>;

async function zplPrinter(t: TestContext) {
  const sim = await simulator(t);
  const received = () => Buffer.from(sim.printer.labels.map(({ zpl }) => zpl).join(""), "latin1");
  return { ...sim, received };
}

const tcp: FindPeer = async (t) => {
  const { address, received } = await zplPrinter(t);
  const away = `127.0.0.1:${await freePort()}`;
  return { entry: { transport: "tcp", address }, away, verification: "printer", received };
};

/** A printer that takes everything and says nothing. */
const mute: FindPeer = async (t) => {
  const { port, received } = await byteSink(t);
  const entry: Entry = { transport: "tcp", address: `127.0.0.1:${port}`, feedback: "none" };
  return { entry, away: `127.0.0.1:${await freePort()}`, verification: "sent", received };
};

/** CUPS's own printer of the future, announced by DNS-SD or not. */
export async function startIppPrinter(t: TestContext, { announced = false } = {}): Promise<Peer | undefined> {
  const program = debianProgram(t, "ippeveprinter", "cups-ipp-utils");
  const dnsSd = program && (await startDnsSd(t));
  if (!program || !dnsSd) return undefined;
  const home = temporaryHome(t);
  const port = await freePort();
  const spool = join(home, "spool");
  mkdirSync(spool);
  const formats = "application/octet-stream,application/vnd.zebra-zpl";
  const printer = tetheredProcess(
    program,
    // Without a command it plays at printing, which takes it many seconds for each job.
    [
      ...(announced ? [] : ["-r", "off"]),
      "-p",
      String(port),
      "-d",
      spool,
      "-k",
      "-c",
      "/bin/true",
      "-f",
      formats,
      "Label",
    ],
    { env: { ...process.env, ...dnsSd, HOME: home, TMPDIR: home } },
  );
  t.after(() => printer.stop());
  const received = () =>
    Buffer.concat(
      readdirSync(spool)
        .filter((name) => !name.endsWith(".html"))
        .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
        .map((name) => readFileSync(join(spool, name))),
    );
  const entry: Entry = { transport: "ipp", address: `ipp://127.0.0.1:${port}/ipp/print` };
  return { entry, away: `ipp://127.0.0.1:${await freePort()}/ipp/print`, verification: "sent", received };
}

/** A CUPS of the test's own, which the bridge and CUPS's tools find by the environment; answers how to make a queue. */
export async function startCups(t: TestContext, more = "") {
  const cupsd = debianProgram(t, "cupsd", "cups");
  const lpadmin = cupsd && debianProgram(t, "lpadmin", "cups-client");
  if (!cupsd || !lpadmin) return undefined;
  if (process.getuid?.() !== 0) return void t.skip("a CUPS of one's own needs root");
  const home = temporaryHome(t);
  const folder = (name: string) => {
    const path = join(home, name);
    mkdirSync(path, { mode: 0o755 });
    return path;
  };
  execFileSync("chmod", ["755", home]);
  const socket = join(home, "cups.sock");
  writeFileSync(
    join(home, "cupsd.conf"),
    `${more}\nListen ${socket}\nLogLevel warn\nMaxLogSize 0\nDefaultAuthType None\nBrowsing No\n<Location />\nOrder allow,deny\nAllow all\n</Location>\n<Policy default>\n<Limit All>\nOrder deny,allow\n</Limit>\n</Policy>\n`,
  );
  writeFileSync(
    join(home, "cups-files.conf"),
    `ServerRoot ${folder("root")}\nRequestRoot ${folder("spool")}\nTempDir ${folder("temp")}\nCacheDir ${folder("cache")}\nStateDir ${folder("state")}\nAccessLog ${home}/access\nErrorLog ${home}/error\nPageLog ${home}/page\nFileDevice Yes\nSystemGroup root\n`,
  );
  const words = ["-f", "-c", join(home, "cupsd.conf"), "-s", join(home, "cups-files.conf")];
  const server = tetheredProcess(cupsd, words);
  t.after(() => server.stop());
  await until("CUPS listens", () => existsSync(socket));
  const before = process.env.CUPS_SERVER;
  process.env.CUPS_SERVER = socket;
  t.after(() => {
    if (before === undefined) delete process.env.CUPS_SERVER;
    else process.env.CUPS_SERVER = before;
  });
  return {
    addQueue: (name: string, device: string, ...more: string[]) =>
      execFileSync(lpadmin, ["-p", name, "-E", "-v", device, "-m", "raw", ...more], {
        env: { ...process.env, CUPS_SERVER: socket },
        stdio: "pipe",
      }),
  };
}

const spooler: FindPeer = async (t) => {
  const cups = await startCups(t);
  if (!cups) return undefined;
  const { port, received } = await byteSink(t);
  cups.addQueue("labels", `socket://127.0.0.1:${port}`);
  const entry: Entry = { transport: "spooler", address: "labels" };
  return { entry, away: "no-such-queue", verification: "sent", received };
};

const device =
  (transport: "usb" | "serial", query: string): FindPeer =>
  async (t) => {
    const { listener, received } = await zplPrinter(t);
    const path = await cable(t, listener.port);
    if (!path) return undefined;
    const entry: Entry = { transport, address: `${path}${query}` };
    return { entry, away: join(temporaryHome(t), "none"), verification: "printer", received };
  };

const virtual: FindPeer = async () => ({
  entry: { transport: "virtual", heightMm: 30 },
  verification: "printer",
});

/** Every transport with something real behind it. */
export const PEERS: Readonly<Record<string, FindPeer>> = {
  tcp,
  "tcp to a printer that never answers": mute,
  "spooler (CUPS)": spooler,
  "ipp (ippeveprinter)": (t) => startIppPrinter(t),
  "usb (a device file)": device("usb", ""),
  serial: device("serial", "?baud=115200"),
  virtual,
};
