import { systemClock } from "@frontdesk/kit/clock";
import { runService } from "@frontdesk/kit/service";
import { keepRecentLines } from "./adapters/recent-log.ts";
import { printSettings } from "./settings.ts";
import { startBridge } from "./start-bridge.ts";

await runService({
  name: "print",
  settings: printSettings,
  start: async ({ config, log, home, onClose }) => {
    const bridge = await startBridge({
      config,
      log,
      home,
      clock: systemClock,
      recentLog: keepRecentLines(log),
    });
    onClose(() => bridge.close());
    const { host } = config.PRINT_LISTEN;
    return [["bridge", `wss://${host}:${bridge.port}/ws`]];
  },
});
