import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";

const frontdesk = fileURLToPath(new URL("../frontdesk.js", import.meta.url));

for (const service of ["avatar", "presence"]) {
  test(`${service}: a file that a person names is where the person is`, (t) => {
    const [home, here] = [temporaryHome(t), temporaryHome(t)];
    mkdirSync(join(home, service));
    new DatabaseSync(join(home, service, `${service}.db`)).close();
    const { status, stderr } = spawnSync(process.execPath, [frontdesk, service, "backup", "copy.db"], {
      cwd: here,
      env: { PATH: process.env.PATH, FRONTDESK_HOME: home },
      encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
    assert.ok(existsSync(join(here, "copy.db")));
  });
}
