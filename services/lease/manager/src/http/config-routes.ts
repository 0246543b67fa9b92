import type { HttpServer } from "@frontdesk/kit/http-server";
import type { TomlTable } from "@frontdesk/lease-config/toml-text";
import { Replay } from "@frontdesk/lease-control-api/replay";
import { type ConfigState, ConfigTakeBackQuery } from "@frontdesk/lease-control-api/schemas";
import type { FastifyReply } from "fastify";
import { type Static, Type } from "typebox";
import { versionWithoutSecrets, withoutSecrets } from "../domain/config-secrets.ts";
import { readingOf, WrongConfig } from "../domain/config-values.ts";
import type { Candidate } from "../domain/configuration.ts";
import { isAllowed } from "../domain/role.ts";
import { bodyText } from "./body-text.ts";
import { authorOf, principalOf } from "./gate.ts";
import { seenIn } from "./if-match.ts";
import { type ManagerParts, timeText } from "./parts.ts";
import {
  Applied,
  ConfigCandidate,
  ConfigCheck,
  ConfigDiff,
  ConfigWriteQuery,
  Confirm,
  FullConfig,
  FullConfigWrite,
  Rollback,
  VersionList,
  VersionPath,
  VersionText,
} from "./schemas.ts";

const TAGS = ["configuration"];

export function configRoutes(app: HttpServer, { configuration }: ManagerParts): void {
  app.get(
    "/api/v1/config",
    {
      schema: {
        operationId: "getConfig",
        summary: "The configuration file, TOML; its version is the ETag",
        tags: TAGS,
        produces: ["text/plain"],
      },
    },
    async (_request, reply) => {
      const { text, version } = await configuration.read();
      return tagged(reply, version).header("content-type", "text/plain; charset=utf-8").send(text);
    },
  );

  app.put(
    "/api/v1/config",
    {
      schema: {
        operationId: "putConfig",
        summary: "Write the configuration file and apply it, if it is right and If-Match is its version",
        description:
          "With `confirm_within` the engine takes it back unless it is confirmed in time. Where no engine runs, there is nothing to try out: it is written at once, and `trial` is null.",
        tags: TAGS,
        consumes: ["text/plain", "application/toml"],
        querystring: ConfigWriteQuery,
        response: { 200: Applied },
      },
    },
    async (request, reply) => {
      const author = authorOf(request);
      const text = bodyText(request);
      const applied = await configuration.write(author, text, seenIn(request), optionsOf(request.query));
      return tagged(reply, applied.version).send(applied);
    },
  );

  app.get(
    "/api/v1/config/full",
    {
      schema: {
        operationId: "getFullConfig",
        summary: "The configuration as values; secrets only for administrators",
        description:
          "Where the file is no TOML, administrators get its text with `problems` in the place of `config`; others are refused with `bad_config`. Without secrets, `version` and the ETag are of the reading alone: a write over it is refused with 412.",
        tags: TAGS,
        response: { 200: FullConfig },
      },
    },
    async (request, reply) => {
      const { version, text, state } = await configuration.read();
      const { config, problems } = readingOf(text);
      const isAdmin = isAllowed(principalOf(request).role, "admin");
      if (!config && !isAdmin) throw new WrongConfig(problems);
      const shown = isAdmin
        ? { version, text, ...(config ? { config } : { problems }) }
        : { version: versionWithoutSecrets(version), config: withoutSecrets(config ?? {}) };
      return tagged(reply, shown.version).send({ ...versionsOf(state), ...shown });
    },
  );

  app.put(
    "/api/v1/config/full",
    {
      schema: {
        operationId: "putFullConfig",
        summary: "Make the configuration say these values: only the lines that must change are changed",
        tags: TAGS,
        querystring: ConfigWriteQuery,
        body: FullConfigWrite,
        response: { 200: Applied },
      },
    },
    async (request, reply) => {
      const author = authorOf(request);
      const wanted = request.body.config as TomlTable;
      const applied = await configuration.writeFull(
        author,
        wanted,
        seenIn(request),
        optionsOf(request.query),
      );
      return tagged(reply, applied.version).send(applied);
    },
  );

  app.post(
    "/api/v1/config/check",
    {
      schema: {
        operationId: "checkConfig",
        summary: "Whether a configuration is right, without applying it",
        tags: TAGS,
        consumes: ["text/plain", "application/toml"],
        response: { 200: ConfigCheck },
      },
    },
    async (request) => {
      const checked = await configuration.check(bodyText(request));
      if (!checked.ok) return { ok: false, problems: checked.problems };
      const { subnets, addresses } = checked.checked;
      return { ok: true, subnets, addresses, problems: [] };
    },
  );

  app.post(
    "/api/v1/config/diff",
    {
      schema: {
        operationId: "compareConfig",
        summary: "What writing a configuration would change in the file, without writing it",
        tags: TAGS,
        body: ConfigCandidate,
        response: { 200: ConfigDiff },
      },
    },
    ({ body }) => configuration.diff(body as Candidate),
  );

  app.post(
    "/api/v1/config/replay",
    {
      schema: {
        operationId: "replayConfig",
        summary: "What a configuration would change for the clients of the last 24 hours, by name",
        tags: TAGS,
        consumes: ["text/plain", "application/toml"],
        response: { 200: Replay },
      },
    },
    async (request) => configuration.replay(bodyText(request)),
  );

  app.post(
    "/api/v1/config/confirm",
    {
      schema: {
        operationId: "confirmConfig",
        summary: "Keep what is being tried out",
        tags: TAGS,
        body: Confirm,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await configuration.confirm(authorOf(request), request.body.version);
      return reply.code(204).send(null);
    },
  );

  app.post(
    "/api/v1/config/take-back",
    {
      schema: {
        operationId: "takeBackConfig",
        summary: "Take back what is being tried out, now",
        tags: TAGS,
        querystring: ConfigTakeBackQuery,
        response: { 200: Applied },
      },
    },
    (request) => configuration.takeBack(authorOf(request), request.query.version),
  );

  app.get(
    "/api/v1/config/history",
    {
      schema: {
        operationId: "listConfigVersions",
        summary: "Every version that ran, newest first",
        tags: TAGS,
        response: { 200: VersionList },
      },
    },
    async () => ({
      items: (await configuration.history()).map((version) => ({ ...version, at: timeText(version.at) })),
    }),
  );

  app.get(
    "/api/v1/config/history/:id",
    {
      schema: {
        operationId: "getConfigVersion",
        summary: "One version with its text",
        tags: TAGS,
        params: VersionPath,
        response: { 200: VersionText },
      },
    },
    async ({ params }) => {
      const version = await configuration.version(params.id);
      return { ...version, at: timeText(version.at) };
    },
  );

  app.post(
    "/api/v1/config/rollback",
    {
      schema: {
        operationId: "rollBackConfig",
        summary: "Make an earlier version the present one",
        tags: TAGS,
        querystring: ConfigWriteQuery,
        body: Rollback,
        response: { 200: Applied },
      },
    },
    async (request, reply) => {
      const author = authorOf(request);
      const applied = await configuration.rollBack(
        author,
        request.body.id,
        seenIn(request),
        optionsOf(request.query),
      );
      return tagged(reply, applied.version).send(applied);
    },
  );
}

const tagged = (reply: FastifyReply, version: string) => reply.header("etag", `"${version}"`);

const optionsOf = ({ confirm_within, confirmation }: Static<typeof ConfigWriteQuery>) => ({
  confirmWithin: confirm_within,
  confirmation,
});

const versionsOf = ({ running, restart, trial }: Static<typeof ConfigState>) => ({ running, restart, trial });
