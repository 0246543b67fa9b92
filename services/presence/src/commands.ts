import type { Clock } from "@frontdesk/kit/clock";
import type { Ids } from "@frontdesk/kit/ids";
import type { Store } from "@frontdesk/store/store";
import type { StoreReader } from "./adapters/store-reader.ts";
import type { Tables } from "./adapters/tables.ts";
import { issueToken, revokeToken } from "./domain/access.ts";
import { CLI } from "./domain/actor.ts";
import { isoTime, isoTimeOrNull } from "./domain/clock-text.ts";
import { refuse } from "./domain/codes.ts";
import { addMember, removeMember } from "./domain/member.ts";
import { createOrg } from "./domain/org.ts";
import { archiveProject, createProject, renameProject } from "./domain/project.ts";
import { parseScopes } from "./domain/scopes.ts";
import type { Desk, Unit } from "./domain/unit.ts";
import { addStatus, makeDefault, removeStatus } from "./domain/vocabulary.ts";
import {
  createWebhook,
  parseEventTypes,
  redeliver,
  removeWebhook,
  rotateSecret,
  setWebhookState,
  testWebhook,
} from "./domain/webhook.ts";

export interface Tools {
  readonly store: Store<Tables>;
  readonly desk: Desk;
  readonly reader: StoreReader;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Why nothing could be sent to a URL, as far as that is known before. */
  readonly refusedUrl: (url: string) => string | undefined;
}

type Options = Readonly<Record<string, string | undefined>>;

interface Command {
  readonly words: readonly string[];
  readonly options: readonly string[];
  readonly usage: string;
  readonly about: string;
  readonly run: (tools: Tools, words: readonly string[], options: Options) => Promise<void>;
}

/** `usage` names words as `<word>` and options as `--option <value>`, in brackets when it can be left out. */
function command(usage: string, about: string, run: Command["run"]): Command {
  const options = [...usage.matchAll(/--([a-z-]+)/g)].map((match) => match[1] as string);
  const words = [...usage.replace(/\[?--[a-z-]+ <[^>]+>\]?/g, "").matchAll(/<([^>]+)>/g)].map(
    (match) => match[1] as string,
  );
  return { words, options, usage, about, run };
}

/** A command that changes one organisation, whose slug is its first word. */
function change(
  usage: string,
  about: string,
  run: (unit: Unit, words: readonly string[], options: Options, tools: Tools) => Promise<unknown>,
): Command {
  return command(`<org> ${usage}`.trim(), about, async (tools, [slug = "", ...words], options) => {
    const org = await orgOf(tools, slug);
    const printed = await tools.desk.change(org.id, CLI, (unit) => run(unit, words, options, tools));
    if (typeof printed === "string") console.log(printed);
  });
}

const split = (text: string): string[] =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

function wanted(options: Options, name: string): string {
  const value = options[name];
  if (value === undefined || value === "") throw refuse("invalid", `--${name} is needed.`);
  return value;
}

function timeOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw refuse("invalid", `"${text}" is not a time like 2026-12-31T12:00:00Z.`);
  return time;
}

async function orgOf(tools: Tools, slug: string) {
  const org = await tools.reader.orgBySlug(slug);
  if (!org) throw refuse("org_not_found", `There is no organisation "${slug}".`);
  return org;
}

const lines = (rows: ReadonlyArray<ReadonlyArray<string | number | null>>): void => {
  for (const row of rows) console.log(row.map((cell) => cell ?? "-").join("\t"));
};

export const commands: Readonly<Record<string, Command>> = {
  "org create": command(
    "<slug> --admin <email> [--name <name>] [--admin-name <name>]",
    "create an organisation with its first member",
    async ({ desk, ids, clock }, [slug = ""], options) =>
      createOrg(desk, CLI, {
        id: ids.next(),
        slug,
        name: options.name ?? "",
        now: clock.now(),
        admin: { email: wanted(options, "admin"), name: options["admin-name"] ?? "" },
      }),
  ),
  "org list": command("", "every organisation", async ({ reader }) => {
    const rows = await reader.orgs();
    lines(rows.map(({ slug, name, sequence }) => [slug, name, `${sequence} events`]));
  }),

  "member add": change(
    "<email> [--name <name>] [--role <admin|member>]",
    "add a member",
    (unit, [email = ""], { name, role }) => {
      if (role !== undefined && role !== "admin" && role !== "member")
        throw refuse("invalid", "A role is admin or member.");
      return addMember(unit, { email, name: name ?? "", role: role ?? "member" });
    },
  ),
  "member remove": change("<email>", "remove a member and their TODOs", (unit, [email = ""]) =>
    removeMember(unit, email),
  ),
  "member list": command("<org>", "every member", async (tools, [slug = ""]) => {
    const { id } = await orgOf(tools, slug);
    const rows = await tools.reader.memberList(id);
    lines(rows.map(({ email, name, role, statusKey }) => [email, name, role, statusKey ?? "default"]));
  }),

  "status list": command("<org>", "the vocabulary", async (tools, [slug = ""]) => {
    const { vocabulary } = await orgOf(tools, slug);
    lines(
      vocabulary.map(({ key, label, color, emoji, isDefault }) => [
        key,
        label,
        color,
        emoji,
        isDefault ? "default" : "",
      ]),
    );
  }),
  "status add": change(
    "<key> --label <text> [--color <#rrggbb>] [--emoji <emoji>]",
    "add a status to the vocabulary",
    (unit, [key = ""], options) =>
      addStatus(unit, {
        key,
        label: wanted(options, "label"),
        color: options.color ?? "#868e96",
        emoji: options.emoji ?? "",
      }),
  ),
  "status default": change("<key>", "make a status the default", (unit, [key = ""]) =>
    makeDefault(unit, key),
  ),
  "status remove": change("<key>", "remove a status from the vocabulary", (unit, [key = ""]) =>
    removeStatus(unit, key),
  ),

  "project create": change(
    "--name <name>",
    "create a project; prints its id",
    async (unit, _words, options) => (await createProject(unit, wanted(options, "name"))).id,
  ),
  "project rename": change("<id> --name <name>", "rename a project", (unit, [id = ""], options) =>
    renameProject(unit, id, wanted(options, "name")),
  ),
  "project archive": change("<id>", "archive a project", (unit, [id = ""]) => archiveProject(unit, id, true)),
  "project restore": change("<id>", "take a project out of the archive", (unit, [id = ""]) =>
    archiveProject(unit, id, false),
  ),
  "project list": command("<org>", "every project", async (tools, [slug = ""]) => {
    const { id } = await orgOf(tools, slug);
    const rows = await tools.reader.projectList(id);
    lines(rows.map((row) => [row.id, row.name, row.archived ? "archived" : ""]));
  }),

  "token create": change(
    "--integration <name> --scopes <a,b|all> [--name <text>] [--expires <time>]",
    "issue a token; prints it, this once",
    async (unit, _words, options) =>
      (
        await issueToken(unit, {
          integration: wanted(options, "integration"),
          name: options.name ?? "",
          scopes: parseScopes(split(wanted(options, "scopes"))),
          expiresAt: timeOf(options.expires),
        })
      ).token,
  ),
  "token revoke": change("<id>", "revoke a token at once", (unit, [id = ""]) => revokeToken(unit, id)),
  "token list": command("<org>", "every token, without its secret", async (tools, [slug = ""]) => {
    const { id } = await orgOf(tools, slug);
    const rows = await tools.reader.tokenList(id);
    lines(
      rows.map((row) => [
        row.id,
        row.integration,
        row.name,
        row.scopes.join(","),
        `created ${isoTime(row.createdAt)}`,
        `last used ${isoTimeOrNull(row.lastUsedAt) ?? "never"}`,
        row.revokedAt === null
          ? row.expiresAt === null
            ? "live"
            : `expires ${isoTime(row.expiresAt)}`
          : "revoked",
      ]),
    );
  }),

  "audit list": command(
    "<org> [--limit <number>]",
    "who changed what, newest first",
    async (tools, [slug = ""], { limit }) => {
      const most = limit === undefined ? 100 : Number(limit);
      if (!Number.isInteger(most) || most < 1 || most > 10_000)
        throw refuse("invalid", "--limit is a number from 1 to 10000.");
      const { items } = await tools.reader.audit((await orgOf(tools, slug)).id, undefined, most);
      lines(
        items.map(({ at, actor, action, subject, detail }) => [
          isoTime(at),
          actor,
          action,
          subject,
          JSON.stringify(detail),
        ]),
      );
    },
  ),
  backup: command("<file>", "write a whole copy of the database while it is in use", ({ store }, [to = ""]) =>
    store.backup(to),
  ),

  "webhook create": change(
    "--url <address> [--events <a,b|all>]",
    "create a webhook; prints its secret",
    async (unit, _words, options, { refusedUrl }) =>
      (
        await createWebhook(unit, {
          url: wanted(options, "url"),
          events: parseEventTypes(split(options.events ?? "all")),
          refusedUrl,
        })
      ).secret,
  ),
  "webhook list": command("<org>", "every webhook, without its secret", async (tools, [slug = ""]) => {
    const rows = await tools.reader.webhookList((await orgOf(tools, slug)).id);
    lines(rows.map((row) => [row.id, row.url, row.events.join(",") || "all", row.state, row.disabledReason]));
  }),
  "webhook rotate": change(
    "<id>",
    "give a webhook a new secret; prints it. The old one signs beside it for a day",
    async (unit, [id = ""]) => (await rotateSecret(unit, id)).secret,
  ),
  "webhook pause": change("<id>", "send nothing until it is resumed", (unit, [id = ""]) =>
    setWebhookState(unit, id, "paused"),
  ),
  "webhook resume": change("<id>", "send again, beginning with what was missed", (unit, [id = ""]) =>
    setWebhookState(unit, id, "active"),
  ),
  "webhook remove": change("<id>", "remove a webhook and its log", (unit, [id = ""]) =>
    removeWebhook(unit, id),
  ),
  "webhook test": change("<id>", "send webhook.test to it", (unit, [id = ""]) => testWebhook(unit, id)),
  "webhook log": command(
    "<org> <id>",
    "what was sent and what came back, as JSON",
    async (tools, [slug = "", id = ""]) => {
      const org = await orgOf(tools, slug);
      const known = (await tools.reader.webhookList(org.id)).some((webhook) => webhook.id === id);
      if (!known) throw refuse("webhook_not_found");
      console.log(JSON.stringify(await tools.reader.deliveryLog(slug, id), null, 2));
    },
  ),
  "webhook redeliver": change(
    "<id> [--delivery <id>] [--failed-since <time>]",
    "send one delivery again, or all that failed since a time; prints how many",
    async (unit, [id = ""], options) => {
      const since = timeOf(options["failed-since"]);
      if ((options.delivery === undefined) === (since === null)) {
        throw refuse("invalid", "Either --delivery or --failed-since is needed.");
      }
      const which = options.delivery ? { deliveryId: options.delivery } : { failedSince: since ?? 0 };
      return String(await redeliver(unit, id, which));
    },
  ),
};

export function usage(): string {
  const rows = Object.entries(commands).map(
    ([name, { usage: words, about }]) => `  ${`${name} ${words}`.padEnd(76)} ${about}`,
  );
  return ["npx frontdesk presence <command>", "", ...rows].join("\n");
}
