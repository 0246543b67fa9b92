import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock } from "@frontdesk/kit/clock";
import { lockFile } from "@frontdesk/kit/lock-file";
import { createLog } from "@frontdesk/kit/log";
import { runService } from "@frontdesk/kit/service";
import { leaseSettings } from "@frontdesk/lease-settings/settings";
import { versionOf, writeIfMissing } from "./config/config-file.ts";
import { RunningConfig } from "./config/running-config.ts";
import { SAMPLE_CONFIG } from "./config/sample-config.ts";
import { startConfig } from "./config/start-config.ts";
import { controlToken } from "./control/control-token.ts";
import { LogKeeper, logLimitsOf } from "./control/log-keeper.ts";
import { COUNTERS } from "./counter-names.ts";
import { createNameSender } from "./ddns/name-sender.ts";
import { createNameUpdates } from "./ddns/name-updates.ts";
import { createUpdateExchange } from "./ddns/update-exchange.ts";
import { openSockets } from "./loop/device-socket.ts";
import { dropCapabilities, dropPrivileges, foldersBelow } from "./loop/privileges.ts";
import { METRICS } from "./metric-table.ts";
import { PacketThread } from "./packet-thread.ts";
import { Checkpoints, openWal } from "./store/checkpoints.ts";
import { History } from "./store/history.ts";

/** How often it is looked whether a name is to be brought to DNS. */
const NAME_EVERY_MS = 250;

await runService({
  name: "lease",
  settings: leaseSettings,
  start: async ({ config: settings, log: serviceLog, home, existing, onClose, onHangup }) => {
    const folder = join(home, "engine");
    const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
    const configPath = settings.LEASE_CONFIG ? resolve(settings.LEASE_CONFIG) : join(folder, "engine.toml");
    const trialPath = join(folder, "config-trial.json");
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

    const storePath = join(folder, "leases.db");
    const thread = await PacketThread.start({
      configText: text,
      version: versionOf(text),
      storePath,
      sockets,
      log,
    });
    if (sockets && dropped) dropCapabilities();
    onClose(() => thread.stop());
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
    const sender = createNameSender({
      config: () => ddns(),
      updates: createNameUpdates(exchange),
      due: (query) => history.dueNames(query),
      leaving: (name) => history.leavingAddresses(name),
      settle: (results) => thread.ask("named", { results }),
      monotonic: () => performance.now(),
      wait: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds).unref()),
      count: (what) => thread.counters.add(`ddns_${what}`),
    });
    let ddns = () => config.ddns;
    const naming = setInterval(() => {
      sender.round().catch((error) => {
        if (!closing) log.error({ err: error }, "names could not be brought to DNS; trying again");
      });
    }, NAME_EVERY_MS);
    onClose(() => clearInterval(naming));

    // Packets are served by now. What follows loads the HTTP libraries, which takes longer than all
    // of the above: after a crash no client waits for them.
    const { listenOn } = await import("@frontdesk/kit/http-server");
    const { createControlServer } = await import("./control/control-server.ts");
    const { isLoopback } = await import("./control/guard.ts");
    const { createMetrics } = await import("./control/metrics.ts");
    const { serveMetrics } = await import("./control/metrics-server.ts");
    const { problemsNow } = await import("./control/status-routes.ts");

    const running = new RunningConfig({
      path: configPath,
      trialPath,
      text,
      config,
      apply: async (raw, version) => {
        await thread.ask("reload", { raw, version });
      },
      onApplied: (next) => {
        log.level = next.logLevel;
        logs.limits = logLimitsOf(next);
      },
      onRefused: () => thread.counters.add("reload_failures"),
      log,
      now: () => systemClock.now(),
      schedule: (milliseconds, act) => {
        const timer = setTimeout(act, milliseconds);
        return () => clearTimeout(timer);
      },
    });
    onClose(() => running.close());
    ddns = () => running.config.ddns;
    onHangup(() => {
      running.reload().catch((error) => log.error({ err: error }, "reload failed"));
    });

    const { host, port } = config.controlListen;
    const url = `http://${host}:${port}`;
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
      },
      { token: controlToken(config, folder), loopback: isLoopback(config.controlListen) },
    );
    onClose(() => control.close());
    await listenOn(control, config.controlListen, "[server] control_listen in the engine's configuration");

    if (config.metricsListen) {
      const metrics = await serveMetrics(
        createMetrics(thread.counters, METRICS, () => thread.ask("pools", {})),
        config.metricsListen,
        () => problemsNow({ thread }),
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
