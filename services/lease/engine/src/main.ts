import { join, resolve } from "node:path";
import { monotonicClock, systemClock } from "@frontdesk/kit/clock";
import { makeFolder } from "@frontdesk/kit/folder-owner";
import { lockFile } from "@frontdesk/kit/lock-file";
import { createLog, type Log } from "@frontdesk/kit/log";
import { runService } from "@frontdesk/kit/service";
import type { Config } from "@frontdesk/lease-config/config";
import type { HaConfig } from "@frontdesk/lease-config/ha-config";
import { TRIAL_FILE } from "@frontdesk/lease-config/kept-trial";
import { parseConfig } from "@frontdesk/lease-config/validate";
import { leaseSettings } from "@frontdesk/lease-settings/settings";
import { versionOf, writeIfMissing } from "./config/config-file.ts";
import { RunningConfig } from "./config/running-config.ts";
import { SAMPLE_CONFIG } from "./config/sample-config.ts";
import { startConfig } from "./config/start-config.ts";
import { tellControlInForce } from "./control/control-in-force.ts";
import { controlTokens } from "./control/control-token.ts";
import { createHaWarnings } from "./control/ha-warnings.ts";
import { LogKeeper, logLimitsOf } from "./control/log-keeper.ts";
import { COUNTERS } from "./counter-names.ts";
import { createConflictRetry } from "./ddns/conflict-retry.ts";
import { createNameReconciler } from "./ddns/name-reconciler.ts";
import { createNameSender } from "./ddns/name-sender.ts";
import { createNameUpdates } from "./ddns/name-updates.ts";
import { createUpdateExchange } from "./ddns/update-exchange.ts";
import { LinkThread } from "./ha/link-thread.ts";
import { PAIRING_FOLDER, PairingFiles } from "./ha/pairing-files.ts";
import type { NameResult } from "./leases/dns-name.ts";
import { openSockets } from "./loop/device-socket.ts";
import { dropCapabilities, dropPrivileges, foldersBelow } from "./loop/privileges.ts";
import { METRICS } from "./metric-table.ts";
import { PacketThread } from "./packet-thread.ts";
import { NOT_PAIRED, Peer, SERVES_NOBODY } from "./peer.ts";
import { serviceHashOf } from "./service-hash.ts";
import { Checkpoints, openWal } from "./store/checkpoints.ts";
import { History } from "./store/history.ts";
import { NameReader } from "./store/name-reader.ts";

/** How often it is looked whether a name is to be brought to DNS. */
const NAME_EVERY_MS = 250;
const WATCH_PAIR_MS = 5000;
const HOUR_MS = 3_600_000;

const schedule = (milliseconds: number, act: () => void) => {
  const timer = setTimeout(act, milliseconds);
  return () => clearTimeout(timer);
};

/** Looks at the pair and tells what an operator should know; answers how to stop. */
function watchPair(
  { maxClockSkew }: HaConfig,
  { thread, peer, log }: { thread: PacketThread; peer: Peer; log: Log },
): () => void {
  const tell = createHaWarnings({
    warn: (details, message) => log.warn(details, message),
    now: () => performance.now(),
  });
  const timer = setInterval(async () => {
    const status = await thread.ask("haStatus", {}).catch(() => "off" as const);
    if (status !== "off") tell(status, maxClockSkew, peer.linkProblem);
  }, WATCH_PAIR_MS);
  const tellUnpaired = () => peer.isUnpaired && log.warn({}, SERVES_NOBODY);
  tellUnpaired();
  const hourly = setInterval(tellUnpaired, HOUR_MS);
  return () => {
    clearInterval(timer);
    clearInterval(hourly);
  };
}

/** It served the other subnets before, and goes on. */
function tellUnserved({ unserved }: Config, log: Log): void {
  for (const { line, message } of unserved) log.warn({ line }, `a subnet serves nobody: ${message}`);
}

await runService({
  name: "lease",
  settings: leaseSettings,
  start: async ({ config: settings, log: serviceLog, home, existing, onClose, onHangup }) => {
    const folder = join(home, "engine");
    const isNew = makeFolder(folder) !== undefined;
    const configPath = settings.LEASE_CONFIG ? resolve(settings.LEASE_CONFIG) : join(folder, "engine.toml");
    const trialPath = join(folder, TRIAL_FILE);
    const sample = settings.LEASE_CONFIG ? undefined : SAMPLE_CONFIG;
    const started = startConfig({ path: configPath, trialPath, sample, now: systemClock.now() });
    const { text, config } = started;

    // As root: what only root may open, and nothing is written. Then no longer as root: files, threads, HTTP.
    const isLab = config.listen.length > 0 || config.listen6.length > 0;
    const sockets = isLab ? undefined : openSockets(config.interfaces, config.dhcpv6Enabled);
    const dropped = dropPrivileges({
      runAs: config.runAs,
      runAsSources: started.sources,
      ownedBy: isNew ? existing : folder,
      folders: [...foldersBelow(existing, home), folder],
      inner: [PAIRING_FOLDER],
      configPath: started.sources.length > 0 ? configPath : undefined,
      programPath: import.meta.filename,
      servesInterfaces: sockets !== undefined,
      log: serviceLog,
    });
    onClose(
      lockFile(
        join(folder, "lock"),
        `Another engine runs in ${folder}: stop it, or set FRONTDESK_HOME to another folder.`,
      ),
    );
    if (sample !== undefined && writeIfMissing(configPath, sample)) {
      serviceLog.info({ path: configPath }, "wrote a sample configuration");
    }
    const logPath = join(folder, "engine.log");
    const logs = new LogKeeper(logPath, logLimitsOf(config), {
      line: (line) => process.stdout.write(line),
      failure: (code) =>
        serviceLog.warn(
          { path: logPath, code },
          "log file cannot be written; lines go to standard output only",
        ),
    });
    const log = createLog({ service: "lease", level: config.logLevel, settings: leaseSettings, to: logs });

    const peer = new Peer(config, {
      files: new PairingFiles(folder),
      log,
      now: () => systemClock.now(),
      schedule,
      startThread: LinkThread.start,
      begin: (pair) => thread.ask("beginPair", pair),
      leave: (pair) => thread.ask("leavePair", { pair }),
      standing: () => thread.ask("pairStanding", {}),
    });
    const storePath = join(folder, "leases.db");
    const thread = await PacketThread.start({
      configText: text,
      version: versionOf(text),
      storePath,
      sockets,
      service: config.ha ? serviceHashOf(parseConfig(text).raw) : "",
      pair: peer.pair,
      log,
    });
    if (sockets && dropped) dropCapabilities();
    onClose(() => peer.stop());
    onClose(() => thread.stop());
    if (config.ha) {
      peer.startLink(config.ha, thread.wake);
      onClose(watchPair(config.ha, { thread, peer, log }));
    }
    // A server whose packet worker is gone serves nobody: whoever watches it shall see that it ended.
    let closing = false;
    onClose(() => {
      closing = true;
    });
    void thread.ended.then(() => {
      if (!closing) process.exit(1);
    });

    const history = new History(storePath);
    onClose(() => history.close());
    onClose(new Checkpoints(openWal(storePath), () => thread.ask("restartWal", {}), log).start());

    const exchange = createUpdateExchange({
      now: () => systemClock.now(),
      onSkew: ({ host, port }, seconds) =>
        log.warn(
          { server: `${host}:${port}`, seconds },
          "the clock of the DNS server differs from this machine's",
        ),
    });
    const updates = createNameUpdates(exchange);
    const monotonic = () => performance.now();
    const settle = (results: readonly NameResult[]) => thread.ask("named", { results });
    const wait = (milliseconds: number) =>
      new Promise<void>((done) => setTimeout(done, milliseconds).unref());
    const sender = createNameSender({
      config: () => ddns(),
      updates,
      isPaired: config.ha !== undefined,
      due: (query) => history.dueNames(query),
      leaving: (name) => history.leavingAddresses(name),
      namesBeside: (address) => history.namesBeside(address),
      identitiesAt: (address) => history.identitiesAt(address),
      settle,
      monotonic,
      wait,
      count: (what) => thread.counters.add(`ddns_${what}`),
    });
    const names = new NameReader(storePath);
    onClose(() => names.close());
    const retryConflicts = config.ha && createConflictRetry({ names, settle, monotonic });
    let ddns = () => config.ddns;
    const naming = setInterval(() => {
      Promise.all([sender.round(), retryConflicts?.()]).catch((error) => {
        if (!closing) log.error({ err: error }, "names could not be brought to DNS; trying again");
      });
    }, NAME_EVERY_MS);
    onClose(() => clearInterval(naming));

    tellUnserved(config, log);
    // Packets are served by now. What follows loads the HTTP libraries, which takes longer than all
    // of the above: after a crash no client waits for them.
    const { listenOn } = await import("@frontdesk/kit/listen-on");
    const { createControlServer } = await import("./control/control-server.ts");
    const { isLoopback } = await import("./control/guard.ts");
    const { addHaMetrics } = await import("./control/ha-metrics.ts");
    const { createMetrics } = await import("./control/metrics.ts");
    const { serveMetrics } = await import("./control/metrics-server.ts");
    const { problemsNow } = await import("./control/status-routes.ts");

    const running = new RunningConfig({
      path: configPath,
      trialPath,
      text,
      config,
      apply: async (raw, version) => {
        await thread.ask("reload", { raw, version, service: config.ha ? serviceHashOf(raw) : "" });
      },
      onApplied: (next) => {
        tellUnserved(next, log);
        log.level = next.logLevel;
        logs.limits = logLimitsOf(next);
      },
      problemOf: ({ raw, config: next }) => {
        // One that runs unpaired already has nothing to lose.
        if (!next.ha || config.ha || peer.isPaired) return undefined;
        return { ...(raw.ha?.enabled?.place ?? raw.place), message: NOT_PAIRED };
      },
      onRefused: () => thread.counters.add("reload_failures"),
      log,
      now: () => systemClock.now(),
      monotonic: monotonicClock.now,
      schedule,
    });
    onClose(() => running.close());
    ddns = () => running.config.ddns;
    onHangup(() => {
      running.reload().catch((error) => log.error({ err: error }, "reload failed"));
    });

    const { host, port } = config.controlListen;
    const url = `http://${host}:${port}`;
    const tokens = controlTokens(config, folder);
    const control = await createControlServer(
      {
        log,
        logs,
        thread,
        history,
        config: running,
        counterNames: COUNTERS,
        url,
        startedAt: systemClock.now(),
        now: () => systemClock.now(),
        peer,
        reconciler: createNameReconciler({
          config: () => running.config,
          exchange,
          updates,
          names,
          knowsAll: async () => {
            const status = await thread.ask("haStatus", {});
            return status === "off" ? !peer.isUnpaired : status.state === "normal";
          },
          settle,
          monotonic,
          wait,
        }),
      },
      { tokens: tokens && Object.values(tokens), loopback: isLoopback(config.controlListen) },
    );
    onClose(() => control.close());
    await listenOn(control, config.controlListen, "[server] control_listen in the engine's configuration");
    tellControlInForce(folder, { url, token: tokens?.ofThisStart ?? null }, log);

    if (config.metricsListen) {
      const registry = createMetrics(thread.counters, METRICS, () => thread.ask("pools", {}));
      if (config.ha) addHaMetrics(registry, () => thread.ask("haStatus", {}));
      const metrics = await serveMetrics(registry, config.metricsListen, () =>
        problemsNow({ thread, peer, config: running }),
      );
      onClose(() => new Promise((done) => metrics.close(done)));
    }

    const ports = config.dhcpv6Enabled ? "ports 67 and 547" : "port 67";
    const lab = [
      ...config.listen.map(({ host, port }) => `udp ${host}:${port} (lab)`),
      ...(config.dhcpv6Enabled ? config.listen6 : []).map(({ host, port }) => `udp [${host}]:${port} (lab)`),
    ];
    const serving = isLab ? lab.join(", ") : `${ports} on ${config.interfaces.join(", ")}`;
    return [
      ["DHCP", serving],
      ["control", url],
      ...(config.metricsListen
        ? [["metrics", `http://${config.metricsListen.host}:${config.metricsListen.port}/metrics`] as const]
        : []),
      ["configuration", configPath],
      ["try", "npx leasectl explain 02:00:00:00:00:50"],
    ];
  },
});
