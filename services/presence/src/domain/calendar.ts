import { randomBytes } from "node:crypto";
import { chosenAt, isShown, saysSame } from "./chosen.ts";
import type { MemberRecord, PlannedRecord } from "./records.ts";
import type { StatusDefinition } from "./resources.ts";
import { currentStatus } from "./status.ts";
import { hashToken } from "./token.ts";
import type { Unit } from "./unit.ts";
import { endAfter, nextOf } from "./weekly-time.ts";

const WEEKS = 26;
const LINE_BYTES = 75;

/** A new secret address for a member's calendar; the one before opens nothing any more. */
export async function makeCalendar(unit: Unit, memberId: string): Promise<string> {
  const token = randomBytes(24).toString("base64url");
  const settings = await unit.members.settings(memberId);
  const calendar = { calendarHash: hashToken(token), calendarCreatedAt: unit.now };
  await unit.members.saveSettings(memberId, { ...settings, ...calendar });
  unit.audit("calendar.made", memberId);
  return token;
}

export async function revokeCalendar(unit: Unit, memberId: string): Promise<void> {
  const settings = await unit.members.settings(memberId);
  if (settings.calendarHash === null) return;
  await unit.members.saveSettings(memberId, { ...settings, calendarHash: null, calendarCreatedAt: null });
  unit.audit("calendar.revoked", memberId);
}

interface Entry {
  readonly uid: string;
  readonly statusKey: string;
  readonly note: string | null;
  readonly from: number;
  readonly to: number;
}

/**
 * A member's statuses as a calendar (RFC 5545): the current one if it ends, what is planned, and the weekly ones of half
 * a year. Each is written with its instants, so no reader needs the zone's rules.
 */
export function calendarText(
  calendar: {
    readonly name: string;
    readonly timeZone: string;
    readonly vocabulary: readonly StatusDefinition[];
    readonly member: MemberRecord;
    readonly planned: readonly PlannedRecord[];
  },
  now: number,
): string {
  const { member, planned, vocabulary, timeZone } = calendar;
  const entries = [
    ...currentEntries(member, now),
    ...planned.flatMap((each) => plannedEntries(each, now, timeZone)),
  ];
  const lines = entries.flatMap(({ uid, statusKey, note, from, to }) => {
    const definition = vocabulary.find(({ key }) => key === statusKey);
    return [
      "BEGIN:VEVENT",
      `UID:${uid}@frontdesk`,
      `DTSTAMP:${stamp(now)}`,
      `DTSTART:${stamp(from)}`,
      `DTEND:${stamp(to)}`,
      `SUMMARY:${escaped(definition?.label ?? statusKey)}`,
      ...(note === null ? [] : [`DESCRIPTION:${escaped(note)}`]),
      "TRANSP:TRANSPARENT",
      "END:VEVENT",
    ];
  });
  return [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Frontdesk//Presence//EN",
    "CALSCALE:GREGORIAN",
    `X-WR-CALNAME:${escaped(calendar.name)}`,
    ...lines,
    "END:VCALENDAR",
  ]
    .flatMap(folded)
    .map((line) => `${line}\r\n`)
    .join("");
}

/** What is shown, and what the member has chosen where something else is shown over it. */
function currentEntries(member: MemberRecord, now: number): Entry[] {
  const current = currentStatus(member, now);
  const { statusKey, statusNote, statusSetAt, statusExpiresAt } = current;
  const beneath = chosenAt(current, now)
    .filter((each) => !isShown(current, each))
    .toSorted((one, other) => (one.setAt ?? 0) - (other.setAt ?? 0))
    // What was planned, and chosen as the same, is there once.
    .filter((each, at, all) => all.findIndex((one) => saysSame(one, each)) === at);
  return [
    ...currentEntry(member.id, statusKey, statusNote, statusSetAt, statusExpiresAt),
    ...beneath.flatMap(({ key, note, setAt, expiresAt }) =>
      currentEntry(member.id, key, note, setAt, expiresAt),
    ),
  ];
}

function currentEntry(
  memberId: string,
  statusKey: string | null,
  note: string | null,
  from: number | null,
  to: number | null,
): Entry[] {
  if (statusKey === null || from === null || to === null) return [];
  // What began together ends at different times, or is another status.
  return [{ uid: `${memberId}-${from}-${to}-${statusKey}`, statusKey, note, from, to }];
}

function plannedEntries(planned: PlannedRecord, now: number, timeZone: string): Entry[] {
  const { id, statusKey, note, startsAt, endsAt } = planned;
  if (startsAt !== null && endsAt !== null) {
    // What has begun is the current status, or was changed since.
    return planned.nextAt === null ? [] : [{ uid: id, statusKey, note, from: startsAt, to: endsAt }];
  }
  const entries: Entry[] = [];
  for (let from = nextOf(planned, now, timeZone); from !== null && entries.length < WEEKS; ) {
    entries.push({ uid: `${id}-${from}`, statusKey, note, from, to: endAfter(planned, from, timeZone) });
    from = nextOf(planned, from, timeZone);
  }
  return entries;
}

const stamp = (time: number): string =>
  `${new Date(time).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;

/** RFC 5545, 3.3.11. Control characters have no place in a calendar. */
const escaped = (text: string): string =>
  text
    .replaceAll(/[\\;,]/g, (character) => `\\${character}`)
    .replaceAll(/\r\n|\r|\n/g, "\\n")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are the ones that are taken out
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "");

/** RFC 5545, 3.1: at most 75 octets, and no character is cut. */
function folded(line: string): string[] {
  if (Buffer.byteLength(line) <= LINE_BYTES) return [line];
  const parts: string[] = [];
  let part = "";
  let size = 0;
  for (const character of line) {
    const bytes = Buffer.byteLength(character);
    if (size + bytes > LINE_BYTES) {
      parts.push(part);
      part = " ";
      size = 1;
    }
    part += character;
    size += bytes;
  }
  return [...parts, part];
}
