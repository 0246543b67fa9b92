import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort } from "@frontdesk/testkit/free-port";
import { serviceProcess } from "@frontdesk/testkit/service-process";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";

/** A printer and a template, as the admin's REST takes them. */
export const DOCK = {
  id: "dock",
  name: "Dock",
  transport: "virtual",
  address: "",
  languages: ["zpl"],
  dpmm: 8,
  rfid: false,
  feedback: "printer",
  widthMm: 100,
  heightMm: 50,
};
export const BADGE = { id: "badge", name: "Badge", language: "zpl", dpmm: 8, body: "^XA^FDone^FS^XZ" };

const MAIN = fileURLToPath(new URL("../services/print/bridge/src/main.ts", import.meta.url));

/** The print bridge as `npm start` runs it, on a home and on a port of its own. */
export async function printDesk(t: Pick<TestContext, "after">, env: Record<string, string> = {}) {
  const home = temporaryHome(t);
  const port = await freePort();
  const settings = {
    FRONTDESK_HOME: home,
    // Its browsers' trust is changed by a click: those of this home, and no other.
    HOME: home,
    PRINT_LISTEN: `127.0.0.1:${port}`,
    PRINT_POLL_MS: "50",
    PRINT_WATCH_MS: "100",
    PRINT_READ_MS: "500",
    ...env,
  };
  const start = async () => {
    const bridge = serviceProcess(t, MAIN, settings);
    const { problem } = await bridge.started;
    if (problem) throw new Error(`${problem}\n${bridge.output()}`);
    return bridge;
  };
  let running = await start();
  const url = `http://127.0.0.1:${port}`;
  const token = readFileSync(join(home, "print/admin-token"), "utf8").trim();
  return {
    home,
    port,
    stop: async () => {
      running.child.kill("SIGTERM");
      await running.ended;
    },
    start: async () => {
      running = await start();
    },
    url,
    token,
    /** What an administrator asks of the bridge without the console, and what it answers. */
    admin: async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
      const response = await fetch(`${url}/api/v1/admin/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body ? { "content-type": "application/json" } : {}),
          ...headers,
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const text = await response.text();
      assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
      return text ? JSON.parse(text) : undefined;
    },
  };
}

/** A shop's page that prints through the bridge's own client; answers with its address. */
export async function shopPage(t: Pick<TestContext, "after">, bridge: string): Promise<string> {
  const page = `<!doctype html><title>Shop</title><p id="code"></p><p id="state"></p>
<script type="module">
  import { FrontdeskPrint } from "http://${bridge}/client/frontdesk-print.js";
  const print = (window.shop = new FrontdeskPrint({ appName: "Shop", url: "ws://${bridge}/ws" }));
  print.on("pairing", ({ code }) => (document.querySelector("#code").textContent = code));
  print.on("connected", () => (document.querySelector("#state").textContent = "connected"));
  print.connect();
</script>`;
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end(page);
  });
  t.after(() => void server.close().closeAllConnections());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://localhost:${(server.address() as { port: number }).port}`;
}
