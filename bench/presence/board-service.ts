import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { systemClock } from "@frontdesk/kit/clock";
import { createLog } from "@frontdesk/kit/log";
import { createSecretBox } from "@frontdesk/kit/secret-box";
import { CLI } from "../../services/presence/src/domain/actor.ts";
import { addMember, memberById } from "../../services/presence/src/domain/member.ts";
import { createOrg } from "../../services/presence/src/domain/org.ts";
import { createShareLink } from "../../services/presence/src/domain/share-link.ts";
import { setStatus } from "../../services/presence/src/domain/status.ts";
import { createPresence, DELIVERY_TIMES, RATE_POLICY } from "../../services/presence/src/presence.ts";

/** A process that serves a board of so many members, or with none a bare stream; the benchmark tells it what to do. */
const [folder = "", pages = "", count = "0"] = process.argv.slice(2);
const members = Number(count);
const ORG = "01JGFJJZ000000000000000000";
const ADMIN = "admin@example.org";
/** From one address a link has 50 streams. */
const LINKS = 20;
const KEY = "a key of at least thirty-two characters";
type Asked = { readonly kind: "memory" } | { readonly kind: "set"; readonly note: string };

const answer = (message: object) => process.send?.(message);
const memory = () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};
const { port, set, ...rest } = members === 0 ? await bare() : await presence();
process.on("message", async (asked: Asked) => {
  if (asked.kind === "memory") return answer({ bytes: memory() });
  await set(asked.note);
  answer({});
});
process.on("disconnect", () => process.exit(0));
answer({ port, ...rest });

async function presence() {
  let mailed = "";
  const service = await createPresence({
    databaseUrl: pathToFileURL(join(folder, "presence.db")),
    clock: systemClock,
    log: createLog({ service: "presence", level: "error", settings: {} }),
    publicUrl: "http://127.0.0.1",
    avatarUrl: "http://127.0.0.1:9",
    guard: () => "refused",
    secrets: createSecretBox([{ id: "bench", secret: KEY }], "bench"),
    mailer: async ({ text }) => {
      mailed = text;
    },
    random: Math.random,
    delivery: DELIVERY_TIMES,
    policy: RATE_POLICY,
    webApp: {
      sessionKeys: [{ id: "bench", secret: KEY }],
      home: folder,
      mail: "outbox",
      trustedProxies: [],
      folder: pages,
    },
  });
  const { desk, app } = service;
  const admin = { email: ADMIN, name: "A first" };
  await createOrg(desk, CLI, { id: ORG, slug: "bench", name: "Bench", now: Date.now(), admin });
  await desk.change(ORG, CLI, async (unit) => {
    for (let i = 1; i < members; i++)
      await addMember(unit, {
        email: `m${i}@example.org`,
        name: `Member ${i}`,
        role: "member",
        group: `Group ${i % 20}`,
      });
  });
  const links = await desk.change(ORG, CLI, async (unit) => {
    const made = [];
    for (let i = 0; i < LINKS; i++)
      made.push(
        (await createShareLink(unit, { kind: "wall", name: "Wall", projectId: null, expiresAt: null })).token,
      );
    return made;
  });
  const ask = (path: string, body: object) =>
    app.inject({ method: "POST", url: `/api/v1/app/auth/${path}`, body });
  await ask("code", { email: ADMIN });
  const code = /^ {4}(\d{6})$/m.exec(mailed)?.[1];
  const signedIn = await ask("verify", { email: ADMIN, code });
  const [cookie = ""] = [signedIn.headers["set-cookie"]].flat().map((each) => String(each).split(";")[0]);
  await app.listen({ host: "127.0.0.1", port: 0 });
  await service.start();
  const [first] = await service.reader.memberList(ORG);
  return {
    port: (app.server.address() as { port: number }).port,
    cookie,
    streams: links.map((token) => `/api/v1/app/shared/${token}/stream`),
    set: (note: string) =>
      desk.change(ORG, CLI, async (unit) => {
        const status = note.endsWith("0") ? "focus" : "away";
        await setStatus(unit, await memberById(unit, first?.id ?? ""), { status, expiresAt: null, note });
      }),
  };
}

async function bare() {
  const open = new Set<ServerResponse>();
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("event: hello\ndata: {}\n\n");
    open.add(response);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    port: (server.address() as { port: number }).port,
    cookie: "",
    streams: ["/"],
    set: async (note: string) => {
      const frame = `id: 1\nevent: status\ndata: ${JSON.stringify({ id: "x".repeat(22), status: note, expiresAt: null })}\n\n`;
      for (const each of open) each.write(frame);
    },
  };
}
