import { readFileSync } from "node:fs";
import { createServer } from "node:http";

/** The limit of hot reads: nothing but Node's own HTTP, answering every request with the same bytes. */
const [file = "", type = ""] = process.argv.slice(2);
const bytes = readFileSync(file);
const server = createServer((_request, response) => {
  response.writeHead(200, { "content-type": type, "content-length": bytes.length });
  response.end(bytes);
});
server.listen(0, "127.0.0.1", () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as { port: number }).port}` });
});
process.on("SIGTERM", () => process.exit(0));
