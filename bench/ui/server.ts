import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type BenchRow, rowAt } from "./rows.ts";

const PAGE = 200;
const TYPES: Readonly<Record<string, string>> = {
  html: "text/html",
  js: "text/javascript",
  css: "text/css",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

/** A server with so many rows, which it filters and pages, and a line on which some of them change. */
export async function rowServer(options: { folder: string; rows: number; updatesPerSecond: number }) {
  const all: readonly BenchRow[] = Array.from({ length: options.rows }, (_, index) => rowAt(index));
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (url.pathname === "/rows") {
      const words = url.searchParams.get("q") ?? "";
      const from = Number(url.searchParams.get("cursor") || 0);
      const found = words ? all.filter(({ ip, name }) => ip.includes(words) || name.includes(words)) : all;
      const items = found.slice(from, from + PAGE);
      const next_cursor = from + PAGE < found.length ? String(from + PAGE) : null;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ items, next_cursor, total: found.length }));
      return;
    }
    if (url.pathname === "/live") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      let count = 0;
      const timer = setInterval(() => {
        const row = rowAt(count++ % Math.max(1, Math.min(500, options.rows)), `renewed ${count}`);
        response.write(`event: row\ndata: ${JSON.stringify(row)}\n\n`);
      }, 1_000 / options.updatesPerSecond);
      response.on("close", () => clearInterval(timer));
      return;
    }
    const path = url.pathname.startsWith("/assets/") ? url.pathname : "/index.html";
    response.setHeader("content-type", TYPES[path.split(".").at(-1) ?? ""] ?? "application/octet-stream");
    response.end(await readFile(join(options.folder, path)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => void server.close().closeAllConnections(),
  };
}
