import type { HttpServer } from "./fastify-server.ts";
import { StartProblem } from "./problem.ts";
import type { ListenAddress } from "./settings.ts";

/** Listens, or says in one sentence why it cannot and which setting would change that. */
export async function listenOn(app: HttpServer, address: ListenAddress, setting: string): Promise<string> {
  try {
    return await app.listen({ host: address.host, port: address.port });
  } catch (error) {
    const where = `${address.host.includes(":") ? `[${address.host}]` : address.host}:${address.port}`;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      throw new StartProblem(
        `${where} is already in use: stop the program that has it, or set ${setting} to another address.`,
      );
    }
    // Whatever the system or its resolver refuses it with.
    if ((error as NodeJS.ErrnoException).syscall) {
      throw new StartProblem(`${where} cannot be listened on (${code}): set ${setting} to another address.`);
    }
    throw error;
  }
}
