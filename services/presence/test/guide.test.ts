import assert from "node:assert/strict";
import { execFileSync, fork, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { systemClock } from "@frontdesk/kit/clock";
import { openStore } from "@frontdesk/store/open-store";
import { debianProgram } from "@frontdesk/testkit/debian";
import { freePort } from "@frontdesk/testkit/free-port";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { until } from "@frontdesk/testkit/until";
import { migrations } from "../src/adapters/migrations.ts";
import { bodySignature, signatureHeaders, standardSignature } from "../src/delivery/signature.ts";
import { lastInFirstOut } from "./last-in-first-out.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const guide = readFileSync(join(root, "docs/presence.md"), "utf8");
const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const ID = "01JGFJJZ000000000000000000";
const SECONDS = 1_767_225_600;

/** The program that the guide shows under this name. */
function program(name: string): string {
  const block = [...guide.matchAll(/```\w+\n([\s\S]*?)```/g)].find(([, code]) =>
    code?.split("\n")[0]?.endsWith(` ${name}`),
  );
  assert.ok(block?.[1], `the guide shows ${name}`);
  return block[1];
}

test("the vectors in the guide are what we sign", () => {
  const body = /and the body `([^`]+)`/.exec(guide)?.[1] ?? "";
  assert.ok(guide.includes(`\`${SECRET}\``));
  assert.ok(guide.includes(`\`${bodySignature(SECRET, body)}\``));
  assert.ok(guide.includes(`\`${standardSignature(SECRET, ID, SECONDS, body)}\``));
});

const VERIFIERS: ReadonlyArray<{
  name: string;
  /** What it is run by, and Debian's package of that. */
  needs: readonly [program: string, debianPackage: string];
  run: (file: string, secret: string, folder: string) => string[];
}> = [
  {
    name: "verify.ts",
    needs: [process.execPath, "nodejs"],
    run: (file, secret, folder) => [
      process.execPath,
      file,
      secret,
      join(folder, "headers"),
      join(folder, "body"),
      String(SECONDS),
    ],
  },
  {
    name: "verify.py",
    needs: ["python3", "python3"],
    run: (file, secret, folder) => ["python3", file, secret, join(folder, "headers"), join(folder, "body")],
  },
  {
    name: "verify.sh",
    needs: ["openssl", "openssl"],
    run: (file, secret, folder) => {
      const headers = JSON.parse(readFileSync(join(folder, "headers"), "utf8"));
      return ["sh", file, secret, headers["x-service-signature"], join(folder, "body")];
    },
  },
];

for (const { name, needs, run } of VERIFIERS) {
  test(`the guide's ${name} accepts what is genuine, also during a rotation, and nothing else`, (t) => {
    if (!debianProgram(t, ...needs)) return;
    const folder = temporaryHome(t);
    const file = join(folder, name);
    writeFileSync(file, program(name));
    const other = "whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=";
    const deliver = (body: string, previousSecrets: readonly string[], tamper = "") => {
      const secrets = { secret: SECRET, previousSecrets, previousUntil: SECONDS * 1000 + 1 };
      writeFileSync(
        join(folder, "headers"),
        JSON.stringify(signatureHeaders(secrets, ID, body, SECONDS * 1000)),
      );
      writeFileSync(join(folder, "body"), body + tamper);
    };
    const verdict = (secret: string) => {
      const [command = "", ...words] = run(file, secret, folder);
      return spawnSync(command, words, { stdio: ["ignore", "ignore", "inherit"] }).status;
    };
    deliver('{"text":"Grüße ✓"}', []);
    assert.equal(verdict(SECRET), 0);
    assert.equal(verdict(other), 1);
    deliver('{"text":"Grüße ✓"}', [other]);
    assert.deepEqual([verdict(SECRET), verdict(other)], [0, 0]);
    deliver('{"text":"Grüße ✓"}', [], " ");
    assert.equal(verdict(SECRET), 1);
  });
}

function startService(t: TestContext, home: string, port: number) {
  const child = fork(join(root, "services/presence/src/main.ts"), [], {
    cwd: root,
    env: { ...process.env, ...environment(home, port) },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  lastInFirstOut(t).after(async () => {
    if (child.exitCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "close");
  });
  return child;
}

const environment = (home: string, port: number) => ({
  FRONTDESK_HOME: home,
  FRONTDESK_LOG_LEVEL: "warn",
  PRESENCE_LISTEN: `127.0.0.1:${port}`,
  PRESENCE_WEBHOOK_ALLOW: "127.0.0.1",
});

test("the lines that the service prints at its start do what they say, and the guide's receiver hears of it", async (t) => {
  if (!debianProgram(t, "curl", "curl")) return;
  const home = temporaryHome(lastInFirstOut(t));
  const folder = temporaryHome(lastInFirstOut(t));
  const [port, receiverPort] = [await freePort(), await freePort()];
  const service = startService(t, home, port);
  const [{ ready }] = (await once(service, "message")) as [{ ready: Array<[string, string]> }];
  const line = (label: string) => ready.find(([name]) => name === label)?.[1] ?? "";
  const shell = (command: string) => JSON.parse(execFileSync("sh", ["-c", command], { encoding: "utf8" }));
  assert.match(
    line("token"),
    /^fdp_[0-9A-Za-z]{38} \(initial token, all scopes, expires in 30 days; also stored in .*first-token\)$/,
  );

  const frontdesk = (words: string[]) => {
    const env = { ...process.env, ...environment(home, port) };
    return spawnSync(process.execPath, [join(root, "bin/frontdesk.js"), "presence", ...words], {
      cwd: root,
      env,
      encoding: "utf8",
    });
  };
  const hear = /^npx frontdesk presence (webhook create .*) > secret\.txt$/.exec(line("hear of it"));
  const words = hear?.[1]?.replace(":9000/", `:${receiverPort}/`).split(" ") ?? [];
  const created = frontdesk(words);
  assert.match(created.stdout, /^whsec_[\w+/]{43}=\n$/, "the secret alone");
  writeFileSync(join(folder, "receiver.mjs"), program("receiver.mjs"));
  assert.equal(program("receiver.mjs").trim().split("\n").length, 11, "ten lines and their name");
  const receiver = spawn(process.execPath, ["receiver.mjs"], {
    cwd: folder,
    env: { ...process.env, PORT: String(receiverPort), SECRET: created.stdout.trim() },
    stdio: ["ignore", "pipe", "inherit"],
  });
  lastInFirstOut(t).after(async () => {
    receiver.kill();
    await once(receiver, "close");
  });
  let heard = "";
  receiver.stdout.on("data", (chunk) => (heard += chunk));
  while (
    (await fetch(`http://127.0.0.1:${receiverPort}/`, {
      method: "POST",
    }).catch(() => undefined)) === undefined
  ) {
    await delay(20);
  }
  while (!heard.includes("\n")) await delay(20);
  assert.equal(heard, "FORGED \n");

  assert.equal(shell(line("set a status")).status, "focus");
  const client = pathToFileURL(join(root, "services/presence/client/presence-client.ts")).href;
  const status = program("status.ts")
    .replace("./presence-client.ts", client)
    .replace("http://127.0.0.1:31073", `http://127.0.0.1:${port}`);
  writeFileSync(join(folder, "status.ts"), status);
  const { stdout } = spawnSync(process.execPath, ["status.ts"], {
    cwd: folder,
    env: { ...process.env, TOKEN: line("token").split(" ")[0] ?? "" },
    encoding: "utf8",
  });
  assert.equal(stdout, "focus\n");
  const first = shell(line("create a TODO"));
  assert.deepEqual(shell(line("create a TODO")), first);
  assert.equal(shell(line("complete it")).done, true);
  await until("three events are heard", () => heard.split("\n").length >= 5);
  const [, ...genuine] = heard.trim().split("\n");
  assert.deepEqual(
    genuine.map((each) => [each.split(" ")[0], JSON.parse(each.replace(/^\w+ /, "")).type]),
    [
      ["genuine", "member.status.changed"],
      ["genuine", "todo.created"],
      ["genuine", "todo.completed"],
    ],
  );

  service.kill("SIGTERM");
  const [code] = await once(service, "close");
  assert.equal(code, 0, "it ends in order");

  const again = startService(t, home, port);
  const [{ ready: second }] = (await once(again, "message")) as [{ ready: Array<[string, string]> }];
  assert.equal(
    second.find(([name]) => name === "token"),
    undefined,
    "the token is shown once",
  );
  assert.equal(
    shell(second.find(([name]) => name === "set a status")?.[1] ?? "").status,
    "focus",
    "and goes on working",
  );
});

test("the commands of the guide do what they say, and mistakes are told in a sentence", async (t) => {
  const home = temporaryHome(lastInFirstOut(t));
  const env = { ...process.env, FRONTDESK_HOME: home };
  const frontdesk = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, "services/presence/src/command.ts"), ...words],
      { cwd: root, env, encoding: "utf8" },
    );
    return { status, stdout, stderr };
  };
  const shown = [
    ...guide.matchAll(/^npx frontdesk presence ((?:org|member|token|status|project) .*)$/gm),
  ].map(([, words]) => (words?.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', "")));
  assert.equal(shown.length, 5);
  const refused = frontdesk("org", "list");
  assert.equal(refused.status, 1, "no empty database is made in the wrong place");
  assert.match(refused.stderr, /^There is no database at .*: start the service once, or give this command/);
  assert.ok(!existsSync(join(home, "presence/presence.db")));
  const url = pathToFileURL(join(home, "presence/presence.db"));
  await (await openStore({ url, migrations, clock: systemClock })).close();
  const answers = shown.map((words) => frontdesk(...words));
  assert.deepEqual(
    answers.map(({ status, stderr }) => [status, stderr]),
    shown.map(() => [0, ""]),
  );
  assert.match(answers[2]?.stdout ?? "", /^fdp_[0-9A-Za-z]{38}\n$/, "the token alone");
  assert.match(
    frontdesk("member", "list", "acme").stdout,
    /^anna@example.org\t.*\tadmin\tdefault\nbert@example.org\tBert\tmember\tdefault\n$/,
  );
  assert.match(frontdesk("status", "list", "acme").stdout, /\nlunch\tLunch\t#e8590c\t/);
  const [tokenId = "", ...token] = frontdesk("token", "list", "acme").stdout.trim().split("\t");
  assert.deepEqual([token[0], token[2]], ["calendar", "status:read,status:write"]);
  assert.equal(frontdesk("token", "revoke", "acme", tokenId).status, 0);
  assert.match(frontdesk("token", "list", "acme").stdout, /revoked\n$/);

  const mistakes: Array<[words: string[], sentence: RegExp]> = [
    [["org", "create", "acme", "--admin", "x@example.org"], /^An organisation with this slug exists\.\n$/],
    [["org", "create", "other"], /^--admin is needed\.\n$/],
    [["org", "create"], /^Usage: npx frontdesk presence org create <slug> --admin <email>/],
    [["member", "add", "nowhere", "x@example.org"], /^There is no organisation "nowhere"\.\n$/],
    [
      ["member", "add", "acme", "bert@example.org"],
      /^This organisation has a member with this e-mail address\.\n$/,
    ],
    [["member", "add", "acme", "x@example.org", "--rank", "1"], /--rank/],
    [
      ["token", "create", "acme", "--integration", "x", "--scopes", "everything"],
      /^"everything" is not a scope\. The scopes are status:read, /,
    ],
    [
      ["webhook", "create", "acme", "--url", "ftp://x"],
      /^A webhook's URL begins with https:\/\/ or http:\/\/, not "ftp:\/\/x"\.\n$/,
    ],
    [
      ["webhook", "create", "acme", "--url", "https://x.example", "--events", "todo.eaten"],
      /^"todo.eaten" is not an event type/,
    ],
    [["webhook", "pause", "acme", "none"], /^There is no such webhook in this organisation\.\n$/],
    [["dance"], /^"dance" is not a command of npx frontdesk presence\.\n/],
    [["constructor"], /^"constructor" is not a command of npx frontdesk presence\.\n/],
  ];
  for (const [words, sentence] of mistakes) {
    const { status, stdout, stderr } = frontdesk(...words);
    assert.deepEqual([status, stdout], [1, ""], words.join(" "));
    assert.match(stderr, sentence);
  }
  assert.match(frontdesk().stdout, /^npx frontdesk presence <command> \[--json\]\n\n {2}org create/);
});
