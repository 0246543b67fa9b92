import type { HttpServer } from "@frontdesk/kit/http-server";
import type { NetworkState } from "../domain/host-network.ts";
import { authorOf } from "./gate.ts";
import { type ManagerParts, timeText } from "./parts.ts";
import {
  FactoryResetBody,
  FactoryResetDone,
  NetworkChangeBody,
  NetworkPlanView,
  NetworkQuery,
  NetworkTrialBody,
  NetworkView,
} from "./system-schemas.ts";

const TAGS = ["system"];
const CONFIRM_WITHIN_S = 60;

export function systemRoutes(app: HttpServer, { network, factoryReset, audited }: ManagerParts): void {
  app.get(
    "/api/v1/system/network",
    {
      schema: {
        operationId: "getHostNetwork",
        summary: "The interfaces and addresses of this machine, and what has them in its hands",
        tags: TAGS,
        response: { 200: NetworkView },
      },
    },
    async () => viewOf(await network.state()),
  );

  app.post(
    "/api/v1/system/network/preview",
    {
      schema: {
        operationId: "previewHostNetwork",
        summary: "What a static address would write and run; nothing is changed",
        tags: TAGS,
        body: NetworkChangeBody,
        response: { 200: NetworkPlanView },
      },
    },
    async ({ body }) => {
      const { tool, files, commands } = await network.preview(body);
      return { tool, files: [...files], commands: commands.map((words) => words.join(" ")) };
    },
  );

  app.put(
    "/api/v1/system/network",
    {
      schema: {
        operationId: "tryHostNetwork",
        summary: "Give an interface of this machine a static address, by the machine's own tool",
        description: "It is taken back unless it is confirmed in time, also when the manager is gone.",
        tags: TAGS,
        querystring: NetworkQuery,
        body: NetworkChangeBody,
        response: { 200: NetworkView },
      },
    },
    async (request) => {
      const { body, query } = request;
      const author = authorOf(request);
      const act = { author, action: "network_try", subject: body.interface, details: body.address };
      const seconds = query.confirm_within ?? CONFIRM_WITHIN_S;
      return viewOf(await audited(act, () => network.tryOut(body, seconds)));
    },
  );

  for (const [path, act, summary] of [
    ["confirm", network.confirm, "Keep the address that is being tried out"],
    ["take-back", network.takeBack, "Take back the address that is being tried out, now"],
  ] as const) {
    app.post(
      `/api/v1/system/network/${path}`,
      {
        schema: {
          operationId: path === "confirm" ? "confirmHostNetwork" : "takeBackHostNetwork",
          summary,
          tags: TAGS,
          body: NetworkTrialBody,
          response: { 200: NetworkView },
        },
      },
      async (request) => {
        const author = authorOf(request);
        const deadline = Date.parse(request.body.ends_at);
        const action = `network_${path.replace("-", "_")}`;
        return viewOf(await audited({ author, action }, () => act(deadline)));
      },
    );
  }

  app.post(
    "/api/v1/system/factory-reset",
    {
      schema: {
        operationId: "resetToFactory",
        summary:
          "Remove leases, history, users, tokens, audit log and configuration versions, and begin anew",
        description:
          "`confirmation` says `factory reset`. The user admin has a new password, told here unless LEASE_ADMIN_PASSWORD sets it; until admin signs in, the file `first-password` in the manager's folder has it too. A configuration that LEASE_CONFIG names, and the certificates, stay.",
        tags: TAGS,
        body: FactoryResetBody,
        response: { 200: FactoryResetDone },
      },
    },
    async (request) => {
      const password = await factoryReset(authorOf(request), request.body.confirmation);
      return { username: "admin", password: password ?? null };
    },
  );
}

function viewOf({ interfaces, dns, changeable, trial }: NetworkState): NetworkView {
  if (!trial) return { interfaces, dns, changeable, trial };
  const { change, deadline, secondsLeft, problem } = trial;
  return {
    interfaces,
    dns,
    changeable,
    trial: {
      change: { ...change, dns: [...change.dns] },
      ends_at: timeText(deadline),
      seconds_left: secondsLeft,
      problem,
    },
  };
}
