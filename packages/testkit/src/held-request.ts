import { once } from "node:events";
import { type IncomingMessage, request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";

/**
 * A request whose head the server has read, and judged, and whose body is still to come. `finish` sends it, and answers
 * with the status.
 */
export async function heldRequest(
  url: string,
  options: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: object;
    readonly ca?: string;
  },
): Promise<{ finish(): Promise<number> }> {
  const body = JSON.stringify(options.body);
  const { method, ca } = options;
  const request = url.startsWith("https:") ? tlsRequest : plainRequest;
  const sent = request(url, {
    method,
    headers: {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
      expect: "100-continue",
      ...options.headers,
    },
    ...(ca === undefined ? {} : { ca, servername: "localhost" }),
  });
  sent.flushHeaders();
  await once(sent, "continue");
  sent.write(body.slice(0, 1));
  return {
    finish: async () => {
      const answered = once(sent, "response") as Promise<[IncomingMessage]>;
      sent.end(body.slice(1));
      const [response] = await answered;
      response.resume();
      return response.statusCode ?? 0;
    },
  };
}
