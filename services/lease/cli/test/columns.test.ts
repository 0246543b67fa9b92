import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CONTROL_HEADER } from "@frontdesk/lease-control-api/schemas";
import { columns } from "../src/columns.ts";

test("a table of two hundred thousand rows is only long", () => {
  const rows = Array.from({ length: 200_000 }, (_, i) => [String(i), "x"]);
  const lines = columns(["number", "letter"], rows).split("\n");
  assert.equal(lines.length, 200_001);
  assert.equal(lines.at(-1), "199999  x");
});

test("what a client calls itself does nothing to the terminal", () => {
  assert.equal(columns(["name"], [["a\u061cb\u200ec\u200f"]]), "name\na?b?c?");
  assert.equal(columns(["name"], [["a\u001b[2Jb\u009b1m\u202ec\n"]]), "name\na?[2Jb?1m?c?");
});

test("nor does it as JSON, which says the same", async (t) => {
  const health = { status: "\u001b\u007f\u009b2J\u202ego" };
  const headers = { [CONTROL_HEADER.name]: CONTROL_HEADER.version };
  const server = createServer((_, response) => response.writeHead(200, headers).end(JSON.stringify(health)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
  const words = [main, "health", "--json", "--url", `http://127.0.0.1:${port}`, "--token", "any"];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  assert.doesNotMatch(stdout.replaceAll("\n", ""), /[\p{Cc}\u202e]/u);
  assert.deepEqual(JSON.parse(stdout), health);
});
