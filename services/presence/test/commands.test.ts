import assert from "node:assert/strict";
import { test } from "node:test";
import { linesOf } from "@frontdesk/kit/command-line";
import { commands } from "../src/commands.ts";
import { createAddressGuard, refusedUrl } from "../src/delivery/address-guard.ts";
import { ulids } from "../src/domain/ulid.ts";
import { ANNA, type DeskUnderTest, deskUnderTest, ENGINES } from "./desk-under-test.ts";
import { fail, startReceiver } from "./receiver.ts";

/** Runs commands as the command line does, and gives what they print. */
function commandLine(desk: DeskUnderTest) {
  const { store, reader, clock } = desk;
  const guard = createAddressGuard(["127.0.0.1"]);
  const tools = {
    store,
    desk: desk.desk,
    reader,
    clock,
    ids: ulids(clock),
    refusedUrl: (url: string) => refusedUrl(guard, url),
  };
  return async (name: string, words: string[], options: Record<string, string> = {}): Promise<string> => {
    const command = commands[name];
    assert.ok(command, name);
    for (const option of Object.keys(options)) assert.ok(command.options.includes(option), option);
    assert.equal(words.length, command.words.length, name);
    const told = await command.run(tools, words, options, new Set());
    return linesOf(told)
      .map((line) => `${line}\n`)
      .join("");
  };
}

for (const { engine, database } of ENGINES) {
  test(`${engine}: a webhook is created, tested, paused, rotated, looked into, redelivered and removed by commands`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const run = commandLine(desk);
    const receiver = await startReceiver(t);
    for (const [url, why] of [
      ["http://10.0.0.1/", /^Error: 10\.0\.0\.1 is private; allow it with PRESENCE_WEBHOOK_ALLOW\.$/],
      ["https://[fd00::1]/", /fd00::1 is private/],
      ["http://8.8.8.8/", /8\.8\.8\.8 is reached by https only/],
    ] as const)
      await assert.rejects(run("webhook create", ["acme"], { url }), {
        code: "invalid",
        message: new RegExp(why.source.replace("^Error: ", "^")),
      });
    const created = await run("webhook create", ["acme"], {
      url: receiver.url,
      events: "todo.created, member.joined",
    });
    assert.match(created, /^whsec_[\w+/]{43}=\n$/, "the secret alone");
    const [id = "", ...rest] = (await run("webhook list", ["acme"])).trim().split("\t");
    assert.deepEqual(rest, [receiver.url, "todo.created,member.joined", "active", "-"]);

    receiver.behave = fail;
    await run("webhook test", ["acme", id]);
    await desk.dispatcher.idle();
    assert.deepEqual(
      receiver.arrivals.map(({ body }) => body.type),
      ["webhook.test"],
    );
    const [delivery] = JSON.parse(await run("webhook log", ["acme", id]));
    assert.equal(delivery.request, receiver.arrivals[0]?.raw.toString());
    assert.deepEqual([delivery.state, delivery.attempts[0].status], ["pending", 500]);
    assert.equal(typeof delivery.attempts[0].durationMs, "number");

    await run("webhook pause", ["acme", id]);
    await run("member add", ["acme", "dora@example.org"], { name: "Dora", role: "admin" });
    receiver.behave = (response) => response.writeHead(204).end();
    await desk.dispatcher.idle();
    assert.equal(receiver.arrivals.length, 1, "paused");
    assert.match(await run("webhook list", ["acme"]), /\tpaused\t-\n$/);
    await run("webhook resume", ["acme", id]);
    await desk.dispatcher.idle();
    assert.equal(receiver.arrivals.at(-1)?.body.type, "member.joined");

    assert.equal(await run("webhook redeliver", ["acme", id], { delivery: delivery.id }), "1\n");
    await desk.dispatcher.idle();
    assert.equal(receiver.arrivals.at(-1)?.body.id, delivery.eventId);
    const since = new Date(desk.clock.now() - 1).toISOString();
    assert.equal(await run("webhook redeliver", ["acme", id], { "failed-since": since }), "0\n");
    await assert.rejects(run("webhook redeliver", ["acme", id]), /Either --delivery or --failed-since/);

    const rotated = await run("webhook rotate", ["acme", id]);
    assert.match(rotated, /^whsec_[\w+/]{43}=\n$/);
    assert.notEqual(rotated, created);
    await run("webhook test", ["acme", id]);
    await desk.dispatcher.idle();
    assert.equal(String(receiver.arrivals.at(-1)?.headers["x-service-signature"]).split(",").length, 2);
    await run("webhook remove", ["acme", id]);
    assert.equal(await run("webhook list", ["acme"]), "");
    await assert.rejects(run("webhook log", ["acme", id]), { code: "webhook_not_found" });
  });

  test(`${engine}: organisations, members, statuses, projects and tokens are kept by commands`, async (t) => {
    const desk = await deskUnderTest(t, database);
    const run = commandLine(desk);
    await run("org create", ["other"], { admin: "o@example.org", name: "Other" });
    assert.equal(await run("org list", []), "acme\tAcme\t2\nother\tOther\t1\n");

    await run("status add", ["acme", "lunch"], { label: "Lunch", emoji: "🍲" });
    await run("status default", ["acme", "lunch"]);
    assert.match(await run("status list", ["acme"]), /\nlunch\tLunch\t#868e96\t🍲\tdefault\n$/);
    await run("status remove", ["acme", "sick"]);
    assert.doesNotMatch(await run("status list", ["acme"]), /sick/);

    const project = (await run("project create", ["acme"], { name: "Move" })).trim();
    await run("project rename", ["acme", project], { name: "The move" });
    await run("project archive", ["acme", project]);
    assert.equal(await run("project list", ["acme"]), `${project}\tThe move\tarchived\n`);
    await run("project restore", ["acme", project]);
    assert.equal(await run("project list", ["acme"]), `${project}\tThe move\t\n`);

    const expires = new Date(desk.clock.now() + 60_000).toISOString();
    const token = (
      await run("token create", ["acme"], { integration: "hr", scopes: "all", name: "trial", expires })
    ).trim();
    assert.equal((await desk.call(token, "GET", "members")).status, 200);
    const [id = "", ...shown] = (await run("token list", ["acme"])).trim().split("\t");
    assert.deepEqual([shown[0], shown[1], shown.at(-1)], ["hr", "trial", `expires ${expires}`]);
    await run("token revoke", ["acme", id]);
    assert.equal((await desk.call(token, "GET", "members")).status, 401);

    // Nobody could sign in with them: the same mailbox is written otherwise.
    for (const address of [
      "ada@xn--bcher-kva.example",
      "a..b@example.org",
      '"a b"@example.org',
      "a,b@example.org",
    ])
      await assert.rejects(run("member add", ["acme", address]), { code: "invalid" }, address);
    await run("member remove", ["acme", ANNA]);
    assert.equal(await run("member list", ["acme"]), "bert@example.org\tBert\tmember\tdefault\n");
  });
}
