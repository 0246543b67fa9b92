import type { HttpServer } from "@frontdesk/kit/http-server";
import { Replay } from "@frontdesk/lease-control-api/replay";
import {
  ConfigApplied,
  ConfigChanged,
  ConfigChecked,
  ConfigConfirm,
  ConfigQuery,
  ConfigState,
  ConfigTakeBackQuery,
  Problems,
} from "@frontdesk/lease-control-api/schemas";
import type { FastifyReply } from "fastify";
import { Type } from "typebox";
import { versionOf } from "../config/config-file.ts";
import type { ConfigOutcome, RunningConfig } from "../config/running-config.ts";
import { ipv4 } from "../leases/address-family.ts";
import { poolSize } from "../leases/pool-space.ts";
import { createReplays } from "../replay/replay-thread.ts";
import { type ControlParts, refuse } from "./parts.ts";

export const versionsView = (config: RunningConfig) => ({
  running: config.running.version,
  file: config.file()?.version ?? null,
  restart: [...config.restart],
  trial: trialView(config),
});

const trialView = ({ trial }: RunningConfig) =>
  trial
    ? {
        version: trial.version,
        ends_at: new Date(trial.deadline).toISOString(),
        seconds_left: trial.secondsLeft,
      }
    : null;

export function configRoutes(app: HttpServer, { config, thread, history, now }: ControlParts): void {
  const replay = createReplays();

  const answer = (outcome: ConfigOutcome, reply: FastifyReply) => {
    if (outcome.kind === "applied") {
      reply.header("etag", `"${outcome.version}"`);
      return { version: outcome.version, restart: [...outcome.restart], trial: trialView(config) };
    }
    if (outcome.kind === "unwritable") return refuse("config_unwritable");
    if (outcome.kind === "changed") {
      return reply.code(412).send({ error: "config_changed", version: outcome.version });
    }
    return reply.code(422).send({ error: "bad_config", problems: [...outcome.problems] });
  };

  app.get(
    "/v1/config",
    { schema: { summary: "The configuration that runs, and the file", response: { 200: ConfigState } } },
    async (_request, reply) => {
      const file = config.file();
      if (file) reply.header("etag", `"${file.version}"`);
      return { ...versionsView(config), text: config.running.text, file_text: file?.text ?? null };
    },
  );

  app.put(
    "/v1/config",
    {
      schema: {
        summary: "Write the file and apply it; with `confirm_within`, back again unless it is confirmed",
        consumes: ["application/toml"],
        querystring: ConfigQuery,
        response: { 200: ConfigApplied, 412: ConfigChanged, 422: Problems },
      },
    },
    async ({ body, headers, query }, reply) => {
      const seen = (headers["if-match"] ?? refuse("if_match_needed")).replace(/^"|"$/g, "");
      const text = String(body ?? "");
      const outcome =
        query.confirm_within === undefined
          ? await config.write(text, seen)
          : await config.tryOut(text, seen, query.confirm_within);
      return answer(outcome, reply);
    },
  );

  app.post(
    "/v1/config/confirm",
    {
      schema: {
        summary: "Keep what is being tried out",
        body: ConfigConfirm,
        response: { 204: Type.Null() },
      },
    },
    async ({ body }, reply) => {
      if (!(await config.confirm(body.version))) refuse("no_trial");
      return reply.code(204).send(null);
    },
  );

  app.post(
    "/v1/config/rollback",
    {
      schema: {
        summary: "Take back what is being tried out, now",
        querystring: ConfigTakeBackQuery,
        response: { 200: ConfigApplied, 412: ConfigChanged, 422: Problems },
      },
    },
    async ({ query }, reply) => answer((await config.rollBack(query.version)) ?? refuse("no_trial"), reply),
  );

  app.post(
    "/v1/config/check",
    {
      schema: {
        summary: "Whether a configuration is right, without applying it",
        consumes: ["application/toml"],
        response: { 200: ConfigChecked, 422: Problems },
      },
    },
    async ({ body }, reply) => {
      const text = String(body ?? "");
      const checked = config.check(text);
      if (!checked.ok) return reply.code(422).send({ error: "bad_config", problems: [...checked.problems] });
      const { subnets, pools } = checked.config;
      const addresses = pools.reduce((sum, pool) => sum + poolSize(ipv4, pool), 0);
      return { version: versionOf(text), subnets: subnets.length, addresses };
    },
  );

  app.post(
    "/v1/config/replay",
    {
      schema: {
        summary: "What a configuration would change for the clients of the last day, without applying it",
        consumes: ["application/toml"],
        response: { 200: Replay, 422: Problems },
      },
    },
    async ({ body }, reply) => {
      const candidate = String(body ?? "");
      const checked = config.check(candidate);
      if (!checked.ok) return reply.code(422).send({ error: "bad_config", problems: [...checked.problems] });
      return replay({
        storePath: history.path,
        running: config.running.text,
        candidate,
        interfaces: await thread.ask("interfaces", {}),
        now: Math.floor((now() + history.clockOffset()) / 1000),
      });
    },
  );

  app.post(
    "/v1/reload",
    {
      schema: {
        summary: "Apply the configuration file: all of it, or nothing",
        response: { 200: ConfigApplied, 412: ConfigChanged, 422: Problems },
      },
    },
    async (_request, reply) => answer(await config.reload(), reply),
  );
}
