import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock } from "@frontdesk/kit/clock";
import { createLog } from "@frontdesk/kit/log";
import { runService } from "@frontdesk/kit/service";
import { readConfig } from "@frontdesk/lease-config/validate";
import { loadConfigFile, writeIfMissing } from "./config/config-file.ts";
import { SAMPLE_CONFIG } from "./config/sample-config.ts";
import { LogKeeper } from "./control/log-keeper.ts";
import { PacketThread } from "./loop/packet-thread.ts";
import { dropRights } from "./loop/rights.ts";
import { leaseSettings } from "./settings.ts";
import { Checkpoints, openWal } from "./store/checkpoints.ts";
import { History } from "./store/history.ts";

await runService({
  name: "lease",
  settings: leaseSettings,
  start: async ({ config: settings, log: serviceLog, home, onClose, onHangup }) => {
    const folder = join(home, "engine");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const configPath = settings.LEASE_CONFIG ? resolve(settings.LEASE_CONFIG) : join(folder, "engine.toml");
    if (!settings.LEASE_CONFIG && writeIfMissing(configPath, SAMPLE_CONFIG)) {
      serviceLog.info({ path: configPath }, "wrote a sample configuration");
    }
    const loaded = loadConfigFile(configPath);
    let { config } = loaded;

    const logs = new LogKeeper(
      join(folder, "engine.log"),
      { ringLines: config.logRingLines, fileBytes: config.logFileBytes, files: config.logFiles },
      (line) => process.stdout.write(line),
    );
    const log = createLog({ service: "lease", level: config.logLevel, settings: leaseSettings, to: logs });

    const storePath = join(folder, "leases.db");
    const thread = await PacketThread.start({ config, configText: loaded.text, storePath, log });
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

    // Packets are served by now. What follows loads the HTTP libraries, which takes longer than all
    // of the above: after a crash no client waits for them.
    const { listenOn } = await import("@frontdesk/kit/http-server");
    const { createControlServer } = await import("./control/control-server.ts");
    const { createMetrics } = await import("./control/metrics.ts");
    const { serveMetrics } = await import("./control/metrics-server.ts");

    const reload = async () => {
      const { text, problems } = readAgain(configPath);
      const answer =
        text === undefined ? { applied: false as const, problems } : await thread.ask("reload", { text });
      if (answer.applied && text !== undefined) {
        config = readConfig(text);
        log.level = config.logLevel;
        log.info({ path: configPath }, "configuration taken up");
        return { problems: [], restart: [] };
      }
      thread.counters.add("reload_failures");
      log.warn({ path: configPath, ...answer }, "configuration refused; the running one stays");
      return {
        problems: "problems" in answer ? answer.problems : [],
        restart: "restart" in answer ? answer.restart : [],
      };
    };
    onHangup(() => void reload());

    const { host, port } = config.controlListen;
    const url = `http://${host}:${port}`;
    const control = await createControlServer({
      log,
      logs,
      thread,
      history,
      url,
      token: config.controlToken,
      config: () => config,
      readText: () => readFileSync(configPath, "utf8"),
      reload,
      startedAt: systemClock.now(),
      now: () => systemClock.now(),
    });
    onClose(() => control.close());
    await listenOn(control, config.controlListen, "[server] control_listen in the engine's configuration");

    if (config.metricsListen) {
      const metrics = await serveMetrics(
        createMetrics(thread.counters, () => thread.ask("pools", {})),
        config.metricsListen,
      );
      onClose(() => new Promise((done) => metrics.close(done)));
    }
    dropRights(config, [home, folder]);

    const serving =
      config.listen.length > 0
        ? config.listen.map((each) => `udp ${each.host}:${each.port} (lab)`).join(", ")
        : `port 67 on ${config.interfaces.join(", ")}`;
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

function readAgain(path: string) {
  try {
    return { text: readFileSync(path, "utf8"), problems: [] };
  } catch (error) {
    const message = `the file cannot be read (${(error as NodeJS.ErrnoException).code}).`;
    return { text: undefined, problems: [{ line: 1, column: 1, message }] };
  }
}
