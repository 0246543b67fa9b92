import { createServer, type Server } from "node:http";
import { hasOneHost } from "@frontdesk/kit/one-host";
import { isInTurn } from "@frontdesk/kit/pipelining";
import { StartProblem } from "@frontdesk/kit/problem";
import type { ListenAddress } from "@frontdesk/lease-config/config";
import type { Registry } from "prom-client";
import { isLoopback, isOwnHost } from "./guard.ts";

/** `GET /metrics` and `/healthz` on an address of their own, and nothing else. */
export async function serveMetrics(
  registry: Pick<Registry, "metrics" | "contentType">,
  address: ListenAddress,
  problems: () => Promise<readonly string[]>,
): Promise<Server> {
  const { host, port } = address;
  const loopback = isLoopback(address);
  const server = createServer(async (request, response) => {
    if (!isInTurn(request, response)) return;
    if (!hasOneHost(request)) return void response.writeHead(400).end("two hosts are named\n");
    if (loopback && !isOwnHost(request.headers.host)) {
      return void response.writeHead(403).end("another host is named\n");
    }
    // Not parsed as a URL: a request line may hold anything, `//` for instance, and parsing would throw.
    const path = (request.url ?? "").split("?", 1)[0];
    if (path !== "/metrics" && path !== "/healthz") return void response.writeHead(404).end("not found\n");
    if (request.method !== "GET" && request.method !== "HEAD")
      return void response.writeHead(405, { allow: "GET, HEAD" }).end();
    try {
      if (path === "/healthz") {
        const reason = (await problems()).join("; ");
        const body = reason ? { status: "unavailable", reason } : { status: "ok" };
        response.writeHead(reason ? 503 : 200, { "content-type": "application/json" });
        return void response.end(JSON.stringify(body));
      }
      const text = await registry.metrics();
      response
        .writeHead(200, { "content-type": registry.contentType })
        .end(request.method === "HEAD" ? undefined : text);
    } catch {
      response.writeHead(503).end("the engine does not answer\n");
    }
  });
  server.requestTimeout = 10_000;
  server.headersTimeout = 10_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new StartProblem(
          `${host}:${port} cannot be listened on (${error.code}): change [server] metrics_listen.`,
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
  return server;
}
