import crypto, { createHash, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Clock, monotonicClock } from "@frontdesk/kit/clock";
import { createHostGuard } from "@frontdesk/kit/host-guard";
import { speakHttpsToo } from "@frontdesk/kit/http-and-https";
import { countingIds, type Ids } from "@frontdesk/kit/ids";
import { keptSecret } from "@frontdesk/kit/kept-file";
import { listenOn } from "@frontdesk/kit/listen-on";
import { authorityPath, localIdentity, watchIdentity } from "@frontdesk/kit/local-ca";
import type { Log } from "@frontdesk/kit/log";
import { StartProblem } from "@frontdesk/kit/problem";
import type { Values } from "@frontdesk/kit/settings";
import { describeTls } from "./adapters/describe-tls.ts";
import { findPrinters } from "./adapters/find-printers.ts";
import { installedLicense } from "./adapters/installed-license.ts";
import { openLabelPictures } from "./adapters/label-pictures.ts";
import { createLabelRenderer } from "./adapters/label-renderer.ts";
import { addFirstPrinter, provision } from "./adapters/provisioning.ts";
import { systemSecrets } from "./adapters/secrets.ts";
import { openJournal } from "./adapters/sqlite-journal.ts";
import { openRegistry } from "./adapters/sqlite-registry.ts";
import { trustBeside } from "./adapters/trust-beside.ts";
import { backendFor } from "./backends/backend-for.ts";
import { createAccess } from "./domain/access.ts";
import { createAdminSessions } from "./domain/admin-sessions.ts";
import type { Wait } from "./domain/backend.ts";
import { watchChanges } from "./domain/changes.ts";
import type { Journal } from "./domain/journal.ts";
import { createPrintService } from "./domain/print-service.ts";
import { createPrinterQueues } from "./domain/printer-queues.ts";
import { createBridgeServer } from "./http/server.ts";
import { type ConnectionLimits, serveWebSockets } from "./http/websocket.ts";
import type { Bridge } from "./protocol/bridge.ts";
import { assertHosts, limitsFrom, type printSettings, settingsInForce } from "./settings.ts";
import { assertAddress } from "./transports/addresses.ts";

const VERSION = "0.1.0";
const CONSOLE = fileURLToPath(new URL("../../console/dist", import.meta.url));
/** How long the connection to a printer is kept when nothing waits for it. */
const IDLE_MS = 2_000;
const RETRY_MS = 1_000;

export interface BridgeOptions {
  readonly config: Values<typeof printSettings>;
  readonly home: string;
  readonly log: Log;
  readonly clock: Clock;
  /** Milliseconds that only grow, whatever becomes of the clock. */
  readonly monotonic?: () => number;
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
  const monotonic = options.monotonic ?? monotonicClock.now;
  const wait = systemWait;
  const limits = limitsFrom(config);
  assertHosts(config.PRINT_HOSTS);

  const registry = openRegistry(join(home, "config.db"), { waitsForOthers: false, log });
  const journalFile = openJournal(join(home, "queue.db"), clock, {
    log,
    limits: { reprintBytes: config.PRINT_REPRINT_BYTES },
  });
  const journal = options.wrapJournal?.(journalFile) ?? journalFile;
  if (config.PRINT_CONFIG) {
    const { left } = provision(registry, config.PRINT_CONFIG, clock.now());
    if (left.length > 0)
      log.warn({ origins: left }, "origins in PRINT_CONFIG were denied or revoked here; they stay out");
  } else addFirstPrinter(registry, clock.now());
  const publicKey = config.PRINT_LICENSE_KEY ? readKey(config.PRINT_LICENSE_KEY) : undefined;
  const license = installedLicense({ registry, publicKey, clock, log });
  const access = createAccess({
    registry,
    clock,
    secrets: systemSecrets,
    authFailureLimit: limits.authFailuresPerMinute,
  });

  const renderer = createLabelRenderer();
  // Of its own: whoever looks at labels while writing a template does not hold up the virtual printers.
  const previews = createLabelRenderer();
  const pictures = openLabelPictures(home);
  const queues = createPrinterQueues({
    registry,
    journal,
    clock,
    monotonic,
    ids: options.jobIds ?? { next: newJobId },
    wait,
    log,
    backendFor: (printer) =>
      backendFor(printer, {
        clock,
        monotonic,
        wait,
        draw: renderer.render,
        pictures,
        connectMs: config.PRINT_CONNECT_MS,
        readMs: config.PRINT_READ_MS,
        hangUpMs: config.PRINT_HANG_UP_MS,
        pollMs: config.PRINT_POLL_MS,
        idleMs: IDLE_MS,
        recoverMs: config.PRINT_RECOVER_MS,
        maxVoids: limits.voids,
      }),
    maxWaiting: limits.jobsWaiting,
    maxWaitingBytes: limits.bytesWaiting,
    retryMs: Math.min(RETRY_MS, config.PRINT_WATCH_MS),
    giveUpMs: config.PRINT_GIVE_UP_MS,
    watchMs: config.PRINT_WATCH_MS,
  });
  const service = createPrintService({
    registry,
    access,
    queues,
    journal,
    clock,
    limits,
    license: license.current,
  });
  const bridge: Bridge = {
    version: VERSION,
    clock,
    log,
    access,
    service,
    journal,
    limits,
    license: license.current,
  };
  const changes = watchChanges(() => queues.refresh(), log);
  access.onPairing(changes.tell);

  const discovery = findPrinters({ config, clock, wait, known: () => registry.printers.all() });
  const adminToken = keptSecret(join(home, "admin-token"), systemSecrets.token);
  const isOurs = createHostGuard(config.PRINT_HOSTS);
  const startedAt = new Date(clock.now()).toISOString();
  const app = await createBridgeServer({
    bridge,
    ids: countingIds(),
    isOurs,
    publicUrl: `https://127.0.0.1:${config.PRINT_LISTEN.port}`,
    health: () => journal.assertWritable(),
    consoleFolder: CONSOLE,
    admin: {
      bridge,
      registry,
      queues,
      labels: pictures,
      assertAddress,
      discovery,
      draw: previews.render,
      sessions: createAdminSessions({
        registry,
        clock,
        secrets: systemSecrets,
        adminTokenHash: systemSecrets.hash(adminToken.value),
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
          license_key: publicKey !== undefined,
          settings: settingsInForce(config),
        }),
        tls: () => describeTls(home),
        authority: () => readFileSync(authorityPath(home), "utf8"),
        trust: (change, browsersOnly) => trustBeside(authorityPath(home), change, browsersOnly),
        installLicense: license.install,
        recentLog: options.recentLog ?? (() => []),
      },
      afterChange: changes.check,
      onChange: changes.listen,
    },
  });
  const sockets = serveWebSockets(app.server, bridge, isOurs, options.connections);
  const authority = { home, name: "Frontdesk print bridge", hosts: config.PRINT_HOSTS, clock };
  const identity = await localIdentity(authority);
  const secured = speakHttpsToo(app.server, identity);
  const stopRenewing = watchIdentity(authority, identity, secured.setIdentity, (error) =>
    log.error({ err: error }, "certificate not renewed"),
  );
  await listenOn(app, config.PRINT_LISTEN, "PRINT_LISTEN");

  return {
    port: (app.server.address() as { port: number }).port,
    adminToken: adminToken.value,
    adminTokenIsNew: adminToken.isNew,
    // In the order of dependence: nobody is let in, who is in is sent away, what prints comes to an end, and
    // then nobody is left who would write.
    close: async () => {
      stopRenewing();
      changes.close();
      sockets.close();
      await discovery.close();
      const closed = app.close();
      secured.cutConnections();
      await closed;
      await queues.close();
      await renderer.close();
      await previews.close();
      await journalFile.close();
      registry.close();
    },
  };
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
