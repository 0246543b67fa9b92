import assert from "node:assert/strict";
import { test } from "node:test";
import type { HttpServer } from "@frontdesk/kit/http-server";
import Fastify from "fastify";
import type { AdminOptions } from "../src/http/admin-context.ts";
import { addEventRoutes } from "../src/http/admin-events.ts";

test("consoles that are refused since the registry cannot be read take no place from later ones", async (t) => {
  const app = Fastify();
  t.after(() => app.close());
  const registry = {
    revision: () => {
      throw new Error("disk I/O error");
    },
  };
  addEventRoutes(app as unknown as HttpServer, { registry } as unknown as AdminOptions, () => {});
  const answers = new Set<string>();
  for (let console = 0; console < 60; console++)
    answers.add((await app.inject("/events")).json<{ message: string }>().message);
  assert.deepEqual([...answers], ["disk I/O error"]);
});
