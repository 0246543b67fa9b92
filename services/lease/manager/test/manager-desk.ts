import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort } from "@frontdesk/testkit/free-port";
import { serviceProcess } from "@frontdesk/testkit/service-process";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { quitKeeper } from "../src/adapters/keeper-client.ts";
import { type OpenApi, openApiCheck } from "./openapi-check.ts";

const REPOSITORY = fileURLToPath(new URL("../../../..", import.meta.url));
export const PASSWORD = "correct horse battery";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of it, the test says
  readonly json: any;
}

export interface Call {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export const SUBNET = `[[subnet]]
network = "10.77.0.0/16" # the office
options = { routers = ["10.77.0.1"] }

  [[subnet.pool]]
  range = "10.77.1.1 - 10.77.1.250"

  # The door opener must never move.
  [[subnet.reservation]]
  ip = "10.77.0.50"
  mac = "02:00:00:00:00:50"
  hostname = "door"
`;

/** The manager as `npm start` runs it, with an engine in the lab, on a home and on ports of its own. */
export async function managerDesk(
  t: Pick<TestContext, "after">,
  env: Record<string, string> = {},
  {
    prepare = () => {},
    program = REPOSITORY,
    subnet = SUBNET,
  }: {
    readonly prepare?: (home: string) => void;
    readonly program?: string;
    readonly subnet?: string;
  } = {},
) {
  // The engine outlives a manager that is killed, as it should; it must not outlive the test, nor its folder.
  t.after(() => quitKeeper(join(home, "lease/keeper.sock")));
  const home = temporaryHome(t);
  const [port, control, dhcp] = [await freePort(), await freePort(), await freePort()];
  const configPath = join(home, "engine.toml");
  writeFileSync(
    configPath,
    `[server]\nlisten = ["127.0.0.1:${dhcp}"]\ncontrol_listen = "127.0.0.1:${control}"\n\n${subnet}`,
  );
  prepare(home);
  const settings = {
    FRONTDESK_HOME: home,
    LEASE_CONSOLE_LISTEN: `127.0.0.1:${port}`,
    LEASE_CONFIG: configPath,
    LEASE_ADMIN_PASSWORD: PASSWORD,
    ...env,
  };
  const start = async () => {
    const manager = serviceProcess(t, join(program, "services/lease/manager/src/main.ts"), settings);
    const { problem, ready = [] } = await manager.started;
    if (problem) throw new Error(`${problem}\n${manager.output()}`);
    const [, engine = ""] = ready.find(([name]) => name === "engine") ?? [];
    if (engine.startsWith("not running")) throw new Error(`the engine is ${engine}`);
    return manager;
  };
  let running = await start();
  const ca = readFileSync(join(home, "lease/tls/ca.crt"), "utf8");

  let check: ReturnType<typeof openApiCheck> | undefined;
  /** Every reply is held against the document that the manager publishes. */
  const call = async (method: string, path: string, options?: Call): Promise<Answer> => {
    check ??= openApiCheck((await send("GET", "/openapi.json")).json as OpenApi);
    const answer = await send(method, path, options);
    const { status, headers, text } = answer;
    check({ method, path, status, type: String(headers["content-type"] ?? ""), text });
    return answer;
  };
  const send = (method: string, path: string, { body, headers = {} }: Call = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const isText = typeof body === "string" || body instanceof Uint8Array;
      const sent = request(
        {
          host: "127.0.0.1",
          port,
          path,
          method,
          ca,
          servername: "localhost",
          headers: {
            ...(body === undefined ? {} : { "content-type": isText ? "text/plain" : "application/json" }),
            ...headers,
          },
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (chunk) => (text += chunk));
          response.on("error", reject);
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text,
              get json() {
                return JSON.parse(text);
              },
            }),
          );
        },
      );
      sent.on("error", reject);
      sent.end(body === undefined ? undefined : isText ? body : JSON.stringify(body));
    });

  /** Calls with a session, as the console does. */
  const signedIn = async (username = "admin", password = PASSWORD) => {
    const answer = await call("POST", "/api/v1/auth/login", { body: { username, password } });
    if (answer.status !== 200) throw new Error(`signing in: ${answer.status} ${answer.text}`);
    const cookie = String(answer.headers["set-cookie"]).split(";")[0] ?? "";
    return Object.assign(
      (method: string, path: string, { body, headers }: Call = {}) =>
        call(method, `/api/v1/${path}`, { body, headers: { cookie, ...headers } }),
      { cookie },
    );
  };

  return {
    home,
    port,
    dhcp,
    ca,
    configPath,
    settings,
    url: `https://127.0.0.1:${port}`,
    call,
    signedIn,
    get process() {
      return running;
    },
    kill: async () => {
      running.child.kill("SIGKILL");
      await running.ended;
    },
    stop: async () => {
      running.child.kill("SIGTERM");
      return running.ended;
    },
    start: async () => {
      running = await start();
    },
  };
}
