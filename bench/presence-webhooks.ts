import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";
import { deliveryBody } from "../services/presence/src/delivery/lane.ts";
import { signatureHeaders } from "../services/presence/src/delivery/signature.ts";
import { CLI } from "../services/presence/src/domain/actor.ts";
import { completeTodo, createTodo } from "../services/presence/src/domain/todo.ts";
import { createWebhook } from "../services/presence/src/domain/webhook.ts";
import { memberEmail, ORG, openBenchPresence, prepareDesk } from "./presence/desk.ts";
import { type Figure, median, percentile, table } from "./presence/figures.ts";

/**
 * Deliveries per second to one fast receiver, beside a bare loop that signs and posts the same bytes
 * one after the other. Then the time from a change to its arrival at healthy endpoints, with as many
 * hanging ones beside them and without.
 */
const EVENTS = 4_000;
const ROUNDS = 3;
const HEALTHY = 50;
const LATENCY_EVENTS = 60;

if (process.argv[2] === "receive") receive();
else await measure();

/** Takes everything at once; what comes to /hang is never answered. Tells when what came, if asked. */
function receive(): void {
  const server = createServer((incoming, response) => {
    const at = Date.now();
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk) => chunks.push(chunk));
    incoming.on("end", () => {
      if (incoming.url?.startsWith("/hang")) return;
      response.writeHead(204).end();
      if (!incoming.url?.startsWith("/timed")) return;
      const { sequence } = JSON.parse(Buffer.concat(chunks).toString());
      process.send?.({ sequence, at });
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as { port: number }).port }));
  process.on("disconnect", () => process.exit(0));
}

async function startReceiver(): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(fileURLToPath(import.meta.url), ["receive"], { stdio: "inherit" });
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  return { child, port };
}

async function measure(): Promise<void> {
  const receiver = await startReceiver();
  try {
    const ours: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const speeds = await throughput(receiver.port);
      ours.push(speeds.ours);
      bare.push(speeds.bare);
    }
    const figures: Figure[] = [
      {
        name: "deliveries per second to one receiver; beside a bare loop that signs and posts",
        ours: median(ours).toFixed(0),
        beside: median(bare).toFixed(0),
        ratio: median(ours) / median(bare),
        wanted: "≥ 0.50",
      },
    ];
    const alone: number[] = [];
    const beside: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(await latency(receiver, 0));
      beside.push(await latency(receiver, HEALTHY));
    }
    figures.push({
      name: `p99 ms from change to arrival at ${HEALTHY} endpoints, ${HEALTHY} more hanging; beside without them`,
      ours: median(beside).toFixed(0),
      beside: median(alone).toFixed(0),
      ratio: median(beside) / median(alone),
      wanted: "≤ 2.00",
    });
    console.log(table("presence-webhooks", figures));
  } finally {
    receiver.child.disconnect();
  }
}

async function throughput(port: number): Promise<{ ours: number; bare: number }> {
  const desk = await prepareDesk(1);
  const presence = await openBenchPresence(desk.databaseUrl);
  try {
    const url = `http://127.0.0.1:${port}/fast`;
    const webhook = await presence.desk.change(ORG, CLI, (unit) => createWebhook(unit, { url, events: [] }));
    await presence.desk.change(ORG, CLI, async (unit) => {
      const member = await unit.members.byEmail(memberEmail(0));
      if (!member) throw new Error("no member");
      for (let i = 0; i < EVENTS / 2; i++) {
        const { todo } = await createTodo(unit, member, {
          text: `TODO ${i}`,
        });
        await completeTodo(unit, todo.id, true, "none");
      }
    });
    const startedAt = performance.now();
    await presence.dispatcher.idle();
    const ours = EVENTS / ((performance.now() - startedAt) / 1000);

    const { items } = await presence.reader.events(ORG, webhook.cursor, EVENTS);
    const delivered = await presence.store.read
      .selectFrom("deliveries")
      .select(({ fn }) => fn.countAll<number>().as("n"))
      .where("state", "=", "delivered")
      .executeTakeFirstOrThrow();
    if (delivered.n !== EVENTS || items.length !== EVENTS)
      throw new Error(`${delivered.n} of ${EVENTS} delivered`);

    const agent = new Agent({ pipelining: 1 });
    const bareFrom = performance.now();
    for (const event of items) {
      const body = deliveryBody(event, "bench", event.sequence - 1);
      const headers = {
        "content-type": "application/json",
        ...signatureHeaders(webhook, event.id, body, Date.now()),
      };
      const reply = await request(url, { method: "POST", headers, body, dispatcher: agent });
      await reply.body.dump();
    }
    const bare = EVENTS / ((performance.now() - bareFrom) / 1000);
    await agent.close();
    return { ours, bare };
  } finally {
    await presence.close();
    desk.remove();
  }
}

async function latency(receiver: { child: ChildProcess; port: number }, hanging: number): Promise<number> {
  const desk = await prepareDesk(1);
  const presence = await openBenchPresence(desk.databaseUrl);
  const changedAt = new Map<number, number>();
  const waits: number[] = [];
  const onMessage = ({ sequence, at }: { sequence: number; at: number }) => {
    const from = changedAt.get(sequence);
    if (from !== undefined) waits.push(at - from);
  };
  receiver.child.on("message", onMessage);
  try {
    const hook = (path: string) =>
      presence.desk.change(ORG, CLI, (unit) =>
        createWebhook(unit, { url: `http://127.0.0.1:${receiver.port}/${path}`, events: [] }),
      );
    for (let i = 0; i < hanging; i++) await hook(`hang${i}`);
    for (let i = 0; i < HEALTHY; i++) await hook(`timed${i}`);
    await presence.start();
    let sequence = (await presence.reader.eventRange(ORG)).last;
    const member = await presence.reader.member(ORG, "", { email: memberEmail(0) });
    for (let i = 0; i < LATENCY_EVENTS; i++) {
      changedAt.set(++sequence, Date.now());
      await presence.desk.change(ORG, CLI, (unit) => createTodo(unit, member, { text: `TODO ${i}` }));
      await delay(200);
    }
    while (waits.length < LATENCY_EVENTS * HEALTHY) await delay(50);
    return percentile(waits, 0.99);
  } finally {
    receiver.child.off("message", onMessage);
    await presence.close();
    desk.remove();
  }
}
