import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { toPng } from "@dicebear/converter";
import { Avatar, Style } from "@dicebear/core";
import Fastify from "fastify";

// The peer: a Fastify route that calls DiceBear's own core and converter, as its documentation shows.
const definition = fileURLToPath(import.meta.resolve("@dicebear/styles/personas.json"));
const style = new Style(JSON.parse(readFileSync(definition, "utf8")));
const app = Fastify();

app.get("/:hash", async (request, reply) => {
  const size = Number(request.query.s ?? 80);
  const avatar = new Avatar(style, { seed: request.params.hash, backgroundColor: ["#dbeafe", "#fce7f3"] });
  if (request.query.fmt === "svg") return reply.type("image/svg+xml").send(avatar.toString());
  const bytes = await toPng(avatar, { size, fonts: [] }).toArrayBuffer();
  return reply.type("image/png").send(Buffer.from(bytes));
});
process.send({ url: await app.listen({ host: "127.0.0.1", port: 0 }) });
process.on("SIGTERM", () => process.exit(0));
