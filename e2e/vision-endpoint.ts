import { createServer } from "node:http";
import type { TestContext } from "node:test";

/** A server that speaks OpenAI's chat completions and gives these answers, one after the other. */
export async function visionEndpoint(t: Pick<TestContext, "after">, answers: object[]): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const content = JSON.stringify(answers.shift());
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content } }] }));
    });
  });
  t.after(() => void server.close().closeAllConnections());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/v1`;
}
