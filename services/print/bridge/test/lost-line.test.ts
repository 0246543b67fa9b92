import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { test } from "node:test";
import { createPrinter } from "@frontdesk/print-simulator/printer";
import type { Journal } from "../src/domain/journal.ts";
import { admitted, bridge, until } from "./support.ts";

const named = (name: string) => `^XA^FX${name};^FS^FO9,9^FDx^FS^XZ`;

test("a line that dies between the promise and the first byte: the job keeps its place, and each comes out once", async (t) => {
  const printer = createPrinter();
  const lines = new Set<Socket>();
  const server = createServer((socket) => {
    lines.add(socket);
    socket.on("close", () => lines.delete(socket)).on("error", () => {});
    const line = printer.open((text) => socket.write(text, "latin1"));
    socket.on("data", (bytes: Buffer) => line.feed(bytes)).on("close", () => line.close());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    for (const socket of lines) socket.destroy();
  });

  let hangUp = false;
  let before: Promise<unknown> = Promise.resolve();
  const wrapJournal = (journal: Journal): Journal => {
    const commit: Journal["commit"] = (entries) => {
      const mine = before.then(async () => {
        if (hangUp && entries[0]?.kind === "accepted") {
          hangUp = false;
          for (const socket of lines) socket.end();
          await until("the bridge has hung up too", () => lines.size === 0);
        }
        return journal.commit(entries);
      });
      before = mine.catch(() => {});
      return mine;
    };
    return new Proxy(journal, {
      get: (target, name) => (name === "commit" ? commit : Reflect.get(target, name)),
    });
  };
  const b = await bridge(t, { wrapJournal, env: { PRINT_WATCH_MS: "60000" } });
  const { port } = server.address() as { port: number };
  b.addPrinter({ id: "dock", transport: "tcp", address: `127.0.0.1:${port}` });
  const page = await admitted(t, b.url, b.allow());
  await page.ask("printers.status", { printer: "dock" });
  hangUp = true;
  const ids = await Promise.all(
    ["one", "two", "three"].map((name) => page.jobId("print.raw", { printer: "dock", data: named(name) })),
  );
  for (const id of ids) assert.equal((await page.ended(id)).state, "Done");
  assert.deepEqual(
    printer.labels.map(({ zpl }) => /\^FX(\w+);/.exec(zpl)?.[1]),
    ["one", "two", "three"],
  );
});
