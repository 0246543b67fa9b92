import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { freePort } from "@frontdesk/testkit/free-port";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { untilEqual } from "@frontdesk/testkit/until";
import { type Run, repository, run } from "../../bin/test/checkout.ts";
import { LABELS, PEOPLE, TODOS } from "../office.ts";

const LISTENS = [
  "AVATAR_MEDIA_LISTEN",
  "AVATAR_API_LISTEN",
  "PRESENCE_LISTEN",
  "LEASE_CONSOLE_LISTEN",
  "PRINT_LISTEN",
  "DEMO_LISTEN",
] as const;

/** `npm run demo` on a home and on ports of its own. */
async function demo(t: TestContext) {
  const launchers: Run[] = [];
  // Before the home is removed: what still runs there needs it for its end.
  t.after(async () => {
    for (const launcher of launchers) {
      if (launcher.child.exitCode === null) launcher.interrupt();
      await launcher.exitCode;
    }
  });
  const folder = temporaryHome(t);
  const home = join(folder, "demo");
  await writeLab(join(home, "lease/engine"));
  const listens = Object.fromEntries(
    await Promise.all(LISTENS.map(async (name) => [name, `127.0.0.1:${await freePort()}`])),
  ) as Record<(typeof LISTENS)[number], string>;
  const launch = () => {
    const launcher = run(t, repository, process.execPath, ["bin/frontdesk.js", "demo"], {
      PATH: process.env.PATH ?? "",
      FRONTDESK_HOME: folder,
      ...listens,
      // Somebody's own, which a demo leaves alone.
      FRONTDESK_DATABASE_URL: "postgres://nobody@127.0.0.1:1/nothing",
      AVATAR_MAIL_URL: "smtp://127.0.0.1:1",
    });
    launchers.push(launcher);
    return launcher;
  };
  const start = async () => {
    const launcher = launch();
    await launcher.printed("Frontdesk is running");
    return launcher;
  };
  const url = (name: (typeof LISTENS)[number], path: string) => `http://${listens[name]}${path}`;
  const token = () => readFileSync(join(home, "presence/first-token"), "utf8").trim();
  return {
    home,
    listens,
    launch,
    start,
    url,
    presence: async (...words: string[]) => {
      const command = run(t, repository, process.execPath, ["services/presence/src/command.ts", ...words], {
        PATH: process.env.PATH ?? "",
        FRONTDESK_HOME: home,
      });
      assert.equal(await command.exitCode, 0, command.output());
      return command.output();
    },
    /** What another system reads of the organisation. */
    read: async (path: string) => {
      const headers = { authorization: `Bearer ${token()}` };
      const response = await fetch(url("PRESENCE_LISTEN", `/api/v1/external/orgs/home${path}`), { headers });
      assert.equal(response.status, 200, path);
      return (await response.json()).data;
    },
  };
}

/** The lab that is written where there is none, on ports of its own. */
async function writeLab(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "engine.toml"),
    `[server]
listen = ["127.0.0.1:${await freePort()}"]
control_listen = "127.0.0.1:${await freePort()}"
[[subnet]]
network = "10.77.0.0/16"
  [[subnet.pool]]
  range = "10.77.1.1 - 10.77.250.250"
`,
  );
}

test("a demo is an office that lives, made once, and nothing of anybody's own", async (t) => {
  const { home, start, url, read, presence } = await demo(t);
  const first = await start();

  const hash = createHash("sha256").update("ada@example.org").digest("hex");
  const face = await fetch(url("AVATAR_MEDIA_LISTEN", `/${hash}?d=404`));
  assert.equal(face.status, 200, "a face that was chosen");

  const names = (await read("/members")).map(({ name }: { name: string }) => name);
  for (const { name } of PEOPLE) assert.ok(names.includes(name), name);
  const heard = async () => (await fetch(url("DEMO_LISTEN", "/"))).text();
  await untilEqual(async () => (await heard()).split("  todo.created  ").length - 1, TODOS.length);
  const forged = await fetch(url("DEMO_LISTEN", "/"), {
    method: "POST",
    headers: { "x-service-signature": "sha256=00" },
    body: JSON.stringify({ type: "forged" }),
  });
  assert.equal(forged.status, 400);
  assert.doesNotMatch(await heard(), /forged/);

  const leases = run(t, repository, process.execPath, ["bin/leasectl.js", "leases", "--json"], {
    PATH: process.env.PATH ?? "",
    FRONTDESK_HOME: home,
  });
  assert.equal(await leases.exitCode, 0, leases.output());
  assert.equal(JSON.parse(leases.output()).length, 50);
  const folder = join(home, "print/virtual/virtual");
  const labels = () =>
    (existsSync(folder) ? readdirSync(folder) : []).filter((file) => file.endsWith(".png"));
  await untilEqual(() => labels().length, LABELS.length);

  first.interrupt();
  assert.equal(await first.exitCode, 0, first.output());
  const second = await start();
  assert.doesNotMatch(second.output(), /making the example office/);
  second.interrupt();
  assert.equal(await second.exitCode, 0, second.output());

  // Killed again and again when presence had made them, and nothing was kept of that: what they were is lost.
  await presence("token", "create", "home", "--integration", "hr", "--scopes", "all");
  for (const name of ["token", "webhook-secret"]) rmSync(join(home, "demo", name));
  const third = await start();
  assert.match(third.output(), /making the example office: token/);
  assert.equal(JSON.parse(await presence("webhook", "list", "home", "--json")).length, 1);
});

test("where another's service has the port of one, the demo stops and has asked nothing of it", async (t) => {
  const { listens, launch } = await demo(t);
  const asked: string[] = [];
  const another = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.end("{}");
  });
  t.after(() => another.close());
  const [host, port] = listens.AVATAR_API_LISTEN.split(":");
  await once(another.listen(Number(port), host), "listening");
  const launcher = launch();
  assert.equal(await launcher.exitCode, 1);
  assert.match(launcher.output(), /avatar could not start: .* is already in use/);
  assert.deepEqual(asked, []);
});
