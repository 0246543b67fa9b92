import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";

test("what the domain refuses while a service starts ends it with a sentence, and the log says why", (t) => {
  const program = `
    import { DomainError } from ${JSON.stringify(import.meta.resolve("@frontdesk/kit/domain-error"))};
    import { runService } from ${JSON.stringify(import.meta.resolve("@frontdesk/kit/service"))};
    await runService({
      name: "desk",
      settings: {},
      start: async ({ onClose }) => {
        onClose(() => console.log("closed"));
        throw Object.assign(new DomainError("unavailable", "The disk is full."), { cause: new Error("SQLITE_FULL") });
      },
    });
  `;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    env: { PATH: process.env.PATH, FRONTDESK_HOME: temporaryHome(t) },
    encoding: "utf8",
  });
  assert.deepEqual({ status, stderr }, { status: 1, stderr: "The disk is full.\n" });
  assert.match(stdout, /"level":50,.*SQLITE_FULL.*\nclosed\n$/);
});

test("what the system refuses while a service starts ends it with a sentence that names the file", (t) => {
  const home = temporaryHome(t);
  const program = `
    import { mkdirSync } from "node:fs";
    import { runService } from ${JSON.stringify(import.meta.resolve("@frontdesk/kit/service"))};
    await runService({
      name: "desk",
      settings: {},
      start: async ({ home, onClose }) => {
        onClose(() => console.log("closed"));
        mkdirSync(home);
      },
    });
  `;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    env: { PATH: process.env.PATH, FRONTDESK_HOME: home },
    encoding: "utf8",
  });
  assert.deepEqual(
    { status, stderr },
    {
      status: 1,
      stderr: `It cannot start: EEXIST: file already exists, mkdir '${join(home, "desk")}'.\n`,
    },
  );
  assert.match(stdout, /"level":50,.*EEXIST.*\nclosed\n$/);
});

test("a disk that refuses the database while a service starts ends it with a sentence, and the log says why", (t) => {
  const program = `
    import { DatabaseSync } from "node:sqlite";
    import { runService } from ${JSON.stringify(import.meta.resolve("@frontdesk/kit/service"))};
    await runService({
      name: "desk",
      settings: {},
      start: async ({ home, onClose }) => {
        onClose(() => console.log("closed"));
        const database = new DatabaseSync(home + "/desk.db");
        database.exec("create table words (word text); pragma max_page_count = 2");
        database.prepare("insert into words values (?)").run("x".repeat(10_000));
      },
    });
  `;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    env: { PATH: process.env.PATH, FRONTDESK_HOME: temporaryHome(t) },
    encoding: "utf8",
  });
  assert.deepEqual(
    { status, stderr },
    {
      status: 1,
      stderr: "The disk refuses the database (database or disk is full): look whether it is full.\n",
    },
  );
  assert.match(stdout, /"level":50,.*database or disk is full.*\nclosed\n$/);
});

test("a service that is told to stop while it starts ends in order, whatever the start then runs into", (t) => {
  const program = `
    import { runService } from ${JSON.stringify(import.meta.resolve("@frontdesk/kit/service"))};
    await runService({
      name: "desk",
      settings: {},
      start: ({ onClose }) =>
        new Promise((_, reject) => {
          onClose(async () => {
            reject(new Error("the database is closed"));
            await new Promise(setImmediate);
            console.log("closed");
          });
          process.kill(process.pid, "SIGTERM");
          setInterval(() => {}, 60_000);
        }),
    });
  `;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    env: { PATH: process.env.PATH, FRONTDESK_HOME: temporaryHome(t) },
    encoding: "utf8",
  });
  assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
  assert.match(stdout, /"msg":"stopping"\}\nclosed\n$/);
});
