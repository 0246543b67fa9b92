import { join } from "node:path";
import { systemClock } from "@frontdesk/kit/clock";
import { keepRecentLines } from "@frontdesk/kit/log-ring";
import { runService } from "@frontdesk/kit/service";
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
    const address = `${host.includes(":") ? `[${host}]` : host}:${bridge.port}`;
    const token = "$(npx frontdesk print origin approve https://app.example.com)";
    const label = "^XA^FO40,40^A0N,60,60^FDHello^FS^XZ";
    return [
      ["console", `http://${address}/ (sign in with the token in ${join(home, "admin-token")})`],
      ["bridge", `wss://${address}/ws (and ws://, https://, http:// on the same port)`],
      ["administer", "npx frontdesk print --help, or /api/v1/admin with the same token"],
      [
        "print",
        `curl -sH "Authorization: Bearer ${token}" --json '{"data":"${label}"}' http://${address}/api/v2/printers/virtual/print; sleep 1; ls ${join(home, "virtual", "virtual")}`,
      ],
    ];
  },
});
