import crypto, { createHash, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "@frontdesk/kit/clock";
import { countingIds, type Ids } from "@frontdesk/kit/ids";
import type { Log } from "@frontdesk/kit/log";
import { StartProblem } from "@frontdesk/kit/problem";
import type { Values } from "@frontdesk/kit/settings";
import { describeTls } from "./adapters/describe-tls.ts";
import { findPrinters } from "./adapters/find-printers.ts";
import { keptSecret } from "./adapters/kept-file.ts";
import { readLicense } from "./adapters/license-file.ts";
import { authorityPath, localIdentity } from "./adapters/local-ca.ts";
import { completePrinter, provision } from "./adapters/provisioning.ts";
import { systemSecrets } from "./adapters/secrets.ts";
import { openJournal } from "./adapters/sqlite-journal.ts";
import { openRegistry } from "./adapters/sqlite-registry.ts";
import { trustBeside } from "./adapters/trust-beside.ts";
import { createAccess } from "./domain/access.ts";
import { createAdminSessions } from "./domain/admin-sessions.ts";
import type { Wait } from "./domain/courier.ts";
import { BridgeError } from "./domain/errors.ts";
import type { Journal } from "./domain/journal.ts";
import { COMMUNITY, licenseAt } from "./domain/license.ts";
import { createPrintDesk } from "./domain/print-desk.ts";
import { createPrintQueue, type PrintQueue } from "./domain/print-queue.ts";
import type { Registry } from "./domain/registry.ts";
import { openDoor } from "./http/door.ts";
import { createHostGuard } from "./http/host-guard.ts";
import { createBridgeServer } from "./http/server.ts";
import { type ConnectionLimits, serveWebSockets } from "./http/websocket.ts";
import type { Bridge } from "./protocol/bridge.ts";
import { limitsFrom, type printSettings, settingsInForce } from "./settings.ts";
import { assertAddress, courierFor } from "./transports/couriers.ts";
import { createLabelRenderer } from "./transports/label-renderer.ts";
import { labelShelf } from "./transports/virtual.ts";

const VERSION = "0.1.0";
const CONSOLE = fileURLToPath(new URL("../../console/dist", import.meta.url));
const REST_MS = 2_000;
const RETRY_MS = 1_000;
/** How often another process's changes (the command line's) are looked for when nobody asks. */
const REVISION_MS = 500;

export interface BridgeOptions {
  readonly config: Values<typeof printSettings>;
  readonly home: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly jobIds?: Ids;
  readonly recentLog?: () => readonly string[];
  /** Stands between the bridge and its memory, for those who want to see it fail. */
  readonly wrapJournal?: (journal: Journal) => Journal;
  readonly connections?: Partial<ConnectionLimits>;
}

export interface RunningBridge {
  readonly port: number;
  readonly adminToken: string;
  readonly adminTokenIsNew: boolean;
  close(): Promise<void>;
}

/** Ends early without an error: being woken is nothing unusual. */
export const systemWait: Wait = (milliseconds, signal) =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener("abort", done, { once: true });
  });

/** Puts the bridge together: whoever reads this knows how it hangs together. */
export async function startBridge(options: BridgeOptions): Promise<RunningBridge> {
  const { config, home, log, clock } = options;
  const jobIds = options.jobIds ?? { next: newJobId };
  const limits = limitsFrom(config);
  const registry = openRegistry(join(home, "config.db"), { waitsForOthers: false });
  const journalFile = openJournal(join(home, "queue.db"), clock);
  const journal = options.wrapJournal?.(journalFile) ?? journalFile;
  if (config.PRINT_CONFIG) provision(registry, config.PRINT_CONFIG, clock.now());
  else welcome(registry);
  const licenseKey = config.PRINT_LICENSE_KEY ? readKey(config.PRINT_LICENSE_KEY) : undefined;

  let read = { file: undefined as string | undefined, license: COMMUNITY };
  const license = () => {
    const file = licenseKey ? registry.settings.get("license") : undefined;
    if (file !== read.file)
      read = { file, license: file && licenseKey ? readLicense(file, licenseKey) : COMMUNITY };
    return licenseAt(read.license, clock.now());
  };
  license();

  const access = createAccess({
    registry,
    clock,
    secrets: systemSecrets,
    authFailureLimit: limits.authFailuresPerMinute,
  });
  const renderer = createLabelRenderer();
  const shelf = labelShelf(home);
  const wait = systemWait;
  const queue = createPrintQueue({
    journal,
    clock,
    ids: jobIds,
    wait,
    log,
    courierFor: (printer) =>
      courierFor(printer, {
        clock,
        wait,
        renderer,
        shelf,
        connectMs: config.PRINT_CONNECT_MS,
        readMs: config.PRINT_READ_MS,
        pollMs: config.PRINT_POLL_MS,
        restMs: REST_MS,
        recoverMs: config.PRINT_RECOVER_MS,
        voidLimit: limits.voids,
      }),
    waitingLimit: limits.jobsWaiting,
    retryMs: Math.min(RETRY_MS, config.PRINT_WATCH_MS),
    giveUpMs: config.PRINT_GIVE_UP_MS,
    watchMs: config.PRINT_WATCH_MS,
  });

  let applied = -1;
  let applying: Promise<void> = Promise.resolve();
  const hearers = new Set<() => void>();
  /** Brings the queue in line with the printers there are now, one change at a time. */
  const applyPrinters = () => {
    const change = applying.then(async () => {
      const revision = registry.revision();
      if (revision === applied) return;
      await queue.setPrinters(registry.printers.all());
      applied = revision;
      for (const hear of hearers) hear();
    });
    applying = change.catch((error: unknown) => {
      log.error({ err: error }, "configuration cannot be read; trying again");
    });
    return change;
  };
  /** The same queue for those who ask of it: it knows every printer that was added before they asked. */
  const upToDate = async () => {
    if (registry.revision() !== applied) await applyPrinters();
    return queue;
  };
  const askedQueue: PrintQueue = {
    ...queue,
    accept: async (request) => (await upToDate()).accept(request),
    status: async (printer) => (await upToDate()).status(printer),
    query: async (printer, question) => (await upToDate()).query(printer, question),
  };
  access.onPairing(() => {
    for (const hear of hearers) hear();
  });
  const desk = createPrintDesk({ registry, access, queue: askedQueue, journal, clock, limits, license });
  const bridge: Bridge = { version: VERSION, clock, log, access, desk, journal, limits, license };
  await applyPrinters();
  const revisionTimer = setInterval(() => applyPrinters().catch(() => {}), REVISION_MS);

  const discovery = findPrinters({ config, clock, wait, known: () => registry.printers.all() });
  const startedAt = new Date(clock.now()).toISOString();
  // Of its own: whoever looks at labels while writing a template does not hold up the virtual printers.
  const previews = createLabelRenderer();
  const adminToken = keptSecret(join(home, "admin-token"), systemSecrets.token);
  const isOurs = createHostGuard(config.PRINT_HOSTS);
  const app = await createBridgeServer({
    bridge,
    ids: countingIds(),
    isOurs,
    publicUrl: `https://127.0.0.1:${config.PRINT_LISTEN.port}`,
    health: async () => void journal.lastSeq,
    consoleFolder: CONSOLE,
    admin: {
      bridge,
      registry,
      queue: askedQueue,
      labels: shelf,
      assertAddress,
      discovery,
      draw: (label) => previews.render(label),
      sessions: createAdminSessions({
        registry,
        clock,
        secrets: systemSecrets,
        isAdminToken: (token) => timingSafeEqual(digest(token), digest(adminToken.value)),
        failureLimit: limits.authFailuresPerMinute,
      }),
      machine: {
        about: () => ({
          version: VERSION,
          node: process.version,
          platform: `${process.platform} ${process.arch}`,
          started_at: startedAt,
          home,
          listen: `${config.PRINT_LISTEN.host}:${config.PRINT_LISTEN.port}`,
          license_key: licenseKey !== undefined,
          settings: settingsInForce(config),
        }),
        tls: () => describeTls(home),
        authority: () => readFileSync(authorityPath(home), "utf8"),
        trust: (change, browsersOnly) => trustBeside(authorityPath(home), change, browsersOnly),
        installLicense: (file) => {
          if (!licenseKey)
            throw new BridgeError(
              "LICENSE_BLOCKED",
              "PRINT_LICENSE_KEY is not set: no license can be checked.",
            );
          const installed = readLicense(file, licenseKey);
          registry.settings.put("license", file);
          return licenseAt(installed, clock.now());
        },
        recentLog: options.recentLog ?? (() => []),
      },
      afterChange: applyPrinters,
      onChange: (hear) => {
        hearers.add(hear);
        return () => hearers.delete(hear);
      },
    },
  });
  const sockets = serveWebSockets(app.server, bridge, isOurs, options.connections);
  const door = await openDoor({
    http: app.server,
    listen: config.PRINT_LISTEN,
    setting: "PRINT_LISTEN",
    identity: await localIdentity(home, config.PRINT_HOSTS, clock),
  });

  return {
    port: door.port,
    adminToken: adminToken.value,
    adminTokenIsNew: adminToken.isNew,
    close: async () => {
      clearInterval(revisionTimer);
      sockets.close();
      await discovery.close();
      await door.close();
      await app.close();
      await applying;
      await queue.close();
      await renderer.close();
      await previews.close();
      await journalFile.close();
      registry.close();
    },
  };
}

/** On the very first start there is a printer to try things on; whoever removes it is not given it again. */
function welcome(registry: Registry): void {
  if (registry.settings.get("welcomed")) return;
  registry.settings.put("welcomed", "yes");
  if (registry.printers.all().length > 0) return;
  const printer = completePrinter({ id: "virtual", name: "Virtual printer", transport: "virtual" });
  registry.printers.put(printer.id, printer);
}

/** In the order they are made, where Node can: neighbours in time are then neighbours on the disk. */
const newJobId = () => (crypto.randomUUIDv7 ?? crypto.randomUUID)();

const digest = (text: string) => createHash("sha256").update(text).digest();

function readKey(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new StartProblem(
      `PRINT_LICENSE_KEY names ${path}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
}
