import type { Actor } from "./actor.ts";
import { nextClosing } from "./closing.ts";
import { refuse } from "./codes.ts";
import { addMember } from "./member.ts";
import type { Org, OrgSettings } from "./records.ts";
import { shownLine } from "./shown-text.ts";
import type { Desk, Unit } from "./unit.ts";
import { FIRST_VOCABULARY } from "./vocabulary.ts";
import { moveToOrgZone } from "./weekly-move.ts";
import { isTimeZone, minuteOf } from "./zoned-time.ts";

/** Pages have addresses of their own beside the organisations' (`console-pages.ts`). */
export const RESERVED_SLUGS: ReadonlySet<string> = new Set([
  "api",
  "assets",
  "docs",
  "first-run",
  "healthz",
  "organisations",
  "s",
  "sign-in",
]);

/** An organisation's name as it is kept. */
export const orgName = (name: string): string => shownLine(name, "An organisation's name", 100);

/** A new organisation has a vocabulary and an administrator, who is its first member. */
export async function createOrg(
  desk: Desk,
  actor: Actor,
  wanted: {
    id: string;
    slug: string;
    name: string;
    now: number;
    admin: { email: string; name: string };
    timeZone?: string;
    /** The key of the status that members have who have set none. */
    defaultStatus?: string;
  },
  /** Of the one-time link that makes it, if one does. */
  firstRunSecret?: string,
): Promise<void> {
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(wanted.slug)) {
    throw refuse("invalid", `A slug has lower-case letters, digits and dashes, not "${wanted.slug}".`);
  }
  if (RESERVED_SLUGS.has(wanted.slug))
    throw refuse("invalid", `"${wanted.slug}" is an address of the web app: take another slug.`);
  const timeZone = wanted.timeZone ?? "UTC";
  if (!isTimeZone(timeZone)) throw refuse("invalid", `"${timeZone}" is not a time zone.`);
  const defaultKey = wanted.defaultStatus ?? "available";
  if (!FIRST_VOCABULARY.some(({ key }) => key === defaultKey)) throw refuse("unknown_status");
  const name = wanted.name.trim() === "" ? wanted.slug : orgName(wanted.name);
  const org: Org = {
    id: wanted.id,
    slug: wanted.slug,
    name,
    sequence: 0,
    purgedThrough: 0,
    vocabulary: FIRST_VOCABULARY.map((status) => ({ ...status, isDefault: status.key === defaultKey })),
    createdAt: wanted.now,
    revision: "",
    settings: { name, timeZone, closingMinute: null, nextClosingAt: null, closedAt: null },
  };
  const work = (unit: Unit) => addMember(unit, { ...wanted.admin, role: "admin" });
  await desk.createOrg(org, actor, work, firstRunSecret);
}

/** Changes what the patch names of an organisation's settings. */
export async function changeSettings(
  unit: Unit,
  patch: { readonly name?: string; readonly timeZone?: string; readonly closingTime?: string | null },
): Promise<OrgSettings> {
  const before = await unit.settings();
  const timeZone = patch.timeZone ?? before.timeZone;
  if (!isTimeZone(timeZone)) throw refuse("invalid", `"${timeZone}" is not a time zone.`);
  const closingMinute =
    patch.closingTime === undefined
      ? before.closingMinute
      : patch.closingTime === null
        ? null
        : minuteOf(patch.closingTime);
  const isMoved = timeZone !== before.timeZone || closingMinute !== before.closingMinute;
  const next: OrgSettings = {
    name: patch.name === undefined ? before.name : orgName(patch.name),
    timeZone,
    closingMinute,
    nextClosingAt: isMoved ? nextClosing(before, closingMinute, timeZone, unit.now) : before.nextClosingAt,
    closedAt: before.closedAt,
  };
  await unit.saveSettings(next);
  if (timeZone !== before.timeZone) await moveToOrgZone(unit, timeZone);
  unit.audit("org.changed", null, { ...patch });
  unit.touch();
  return next;
}
