import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { ServiceProcess } from "../service-process.js";

const frame = fileURLToPath(new URL("../../packages/kit/src/service.ts", import.meta.url));

for (const platform of ["linux", "win32"]) {
  test(`${platform}: a service that is stopped drains and ends with 0`, async (t) => {
    const home = temporaryHome(t);
    const [main, drained] = [join(home, "main.ts"), join(home, "drained")];
    // A process on Windows hears no SIGTERM: it ends at once, and drains nothing.
    writeFileSync(
      main,
      `import { writeFileSync } from "node:fs";
      import { runService } from ${JSON.stringify(frame)};
      await runService({
        name: "sample",
        settings: {},
        start: async ({ onClose }) => {
          ${platform === "win32" ? 'process.removeAllListeners("SIGTERM");' : ""}
          onClose(() => writeFileSync(${JSON.stringify(drained)}, ""));
          return [["sample", "ready"]];
        },
      });`,
    );
    t.mock.method(console, "log", () => {});
    const env = { ...process.env, FRONTDESK_HOME: home };
    const service = new ServiceProcess({ name: "sample", node: process.execPath, main, env, identity: {} });
    await service.ready;
    const real = Object.getOwnPropertyDescriptor(process, "platform") as PropertyDescriptor;
    Object.defineProperty(process, "platform", { ...real, value: platform });
    service.stop();
    Object.defineProperty(process, "platform", real);
    assert.deepEqual(await service.ended, { code: 0, signal: null });
    assert.ok(existsSync(drained));
  });
}
