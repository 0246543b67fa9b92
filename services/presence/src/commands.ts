import type { Clock } from "@frontdesk/kit/clock";
import { type Command, type Commands, command, type Options } from "@frontdesk/kit/command-line";
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
import { ROLES, type TokenRecord } from "./domain/records.ts";
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

/** A command that changes one organisation, whose slug is its first word. */
function change(
  usage: string,
  about: string,
  run: (unit: Unit, words: readonly string[], options: Options, tools: Tools) => Promise<unknown>,
): Command<Tools> {
  return command(`<org> ${usage}`.trim(), about, async (tools, [slug = "", ...words], options) => {
    const org = await orgOf(tools, slug);
    const told = await tools.desk.change(org.id, CLI, (unit) => run(unit, words, options, tools));
    return typeof told === "string" ? told : undefined;
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

const stateOf = ({ revokedAt, expiresAt }: Pick<TokenRecord, "revokedAt" | "expiresAt">): string => {
  if (revokedAt !== null) return "revoked";
  return expiresAt === null ? "live" : `expires ${isoTime(expiresAt)}`;
};

export const commands: Commands<Tools> = {
  "org create": command(
    "<slug> --admin <email> [--name <name>] [--admin-name <name>]",
    "create an organisation with its first member",
    async ({ desk, ids, clock }, [slug = ""], options) => {
      await createOrg(desk, CLI, {
        id: ids.next(),
        slug,
        name: options.name ?? "",
        now: clock.now(),
        admin: { email: wanted(options, "admin"), name: options["admin-name"] ?? "" },
      });
      return undefined;
    },
  ),
  "org list": command("", "every organisation", async ({ reader }) => {
    const orgs = await reader.orgs();
    return orgs.map(({ slug, name, sequence }) => ({ slug, name, events: sequence }));
  }),

  "member add": change(
    "<email> [--name <name>] [--role <admin|reception|member>]",
    "add a member",
    (unit, [email = ""], { name, role }) => {
      const wantedRole = ROLES.find((each) => each === (role ?? "member"));
      if (!wantedRole) throw refuse("invalid", "A role is admin, reception or member.");
      return addMember(unit, { email, name: name ?? "", role: wantedRole });
    },
  ),
  "member remove": change("<email>", "remove a member and their TODOs", (unit, [email = ""]) =>
    removeMember(unit, email),
  ),
  "member list": command("<org>", "every member", async (tools, [slug = ""]) => {
    const { id } = await orgOf(tools, slug);
    const members = await tools.reader.memberList(id);
    return members.map(({ email, name, role, statusKey }) => ({
      email,
      name,
      role,
      status: statusKey ?? "default",
    }));
  }),

  "status list": command("<org>", "the vocabulary", async (tools, [slug = ""]) => {
    const { vocabulary } = await orgOf(tools, slug);
    return vocabulary.map(({ key, label, color, emoji, isDefault }) => ({
      key,
      label,
      color,
      emoji,
      default: isDefault ? "default" : "",
    }));
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
    const projects = await tools.reader.projectList(id);
    return projects.map((project) => ({
      id: project.id,
      name: project.name,
      archived: project.archived ? "archived" : "",
    }));
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
    const tokens = await tools.reader.tokenList(id);
    return tokens.map((token) => ({
      id: token.id,
      integration: token.integration,
      name: token.name,
      scopes: token.scopes,
      createdAt: isoTime(token.createdAt),
      lastUsedAt: isoTimeOrNull(token.lastUsedAt),
      state: stateOf(token),
    }));
  }),

  "audit list": command(
    "<org> [--limit <number>]",
    "who changed what, newest first",
    async (tools, [slug = ""], { limit }) => {
      const count = limit === undefined ? 100 : Number(limit);
      if (!Number.isInteger(count) || count < 1 || count > 10_000)
        throw refuse("invalid", "--limit is a number from 1 to 10000.");
      const { items } = await tools.reader.audit((await orgOf(tools, slug)).id, undefined, count);
      return items.map(({ at, actor, action, subject, detail }) => ({
        at: isoTime(at),
        actor,
        action,
        subject,
        detail: JSON.stringify(detail),
      }));
    },
  ),
  backup: command(
    "<file>",
    "write a whole copy of the database while it is in use",
    async ({ store }, [to = ""]) => {
      await store.backup(to);
      return undefined;
    },
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
    const webhooks = await tools.reader.webhookList((await orgOf(tools, slug)).id);
    return webhooks.map(({ id, url, events, state, disabledReason }) => ({
      id,
      url,
      events: events.join(",") || "all",
      state,
      disabledReason,
    }));
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
      return JSON.stringify(await tools.reader.deliveryLog(slug, id), null, 2);
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
