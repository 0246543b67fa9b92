import { DomainError } from "@frontdesk/kit/domain-error";
import { type EmailAddress, parseEmailAddress } from "@frontdesk/signin/email-address";
import { integrationOf } from "./actor.ts";
import { NOTHING_CHOSEN } from "./chosen.ts";
import { isoTime } from "./clock-text.ts";
import { refuse } from "./codes.ts";
import { refOf } from "./external-ref.ts";
import type { IntegrationRecord, MemberRecord, Role } from "./records.ts";
import type { EventData, Member, StatusDefinition } from "./resources.ts";
import { shownLine, shownLineOr } from "./shown-text.ts";
import { expireStatus, statusView } from "./status.ts";
import type { Unit } from "./unit.ts";
import { moveToZone } from "./weekly-move.ts";
import { isTimeZone } from "./zoned-time.ts";

/** How a request names a member. */
export type MemberAddress = { readonly email: string } | { readonly externalRef: string };

const MAX_NAME = 200;
const MAX_GROUP = 80;

export const normalEmail = (email: string): string => email.trim().toLowerCase();

export async function findMember(unit: Unit, address: MemberAddress): Promise<MemberRecord> {
  const member =
    "email" in address
      ? await unit.members.byEmail(normalEmail(address.email))
      : await unit.members.byRef(integrationOf(unit.actor)?.id ?? "", address.externalRef);
  if (!member) throw refuse("member_not_found");
  return member;
}

export function memberView(
  vocabulary: readonly StatusDefinition[],
  member: MemberRecord,
  integration: string | null,
  avatarUrl: string,
  now: number,
): Member {
  const view: Member = {
    id: member.id,
    email: member.email,
    name: member.name,
    externalRef: refOf(member, integration),
    status: statusView(vocabulary, member, now),
    avatarUrl,
    joinedAt: isoTime(member.joinedAt),
  };
  if (member.group !== null) view.group = member.group;
  if (member.timeZone !== null) view.timeZone = member.timeZone;
  return view;
}

export async function memberById(unit: Unit, id: string): Promise<MemberRecord> {
  const member = await unit.members.byId(id);
  if (!member) throw refuse("member_not_found");
  return member;
}

/** An address as it is kept and counted: by what people sign in with. */
export function demandEmail(text: string): EmailAddress {
  try {
    return parseEmailAddress(text);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw refuse("invalid", `"${text.slice(0, 254)}" is not an e-mail address.`);
  }
}

/** The name of a group as it is kept; null: none. */
export const groupOf = (text: string | null | undefined): string | null =>
  shownLineOr(text ?? "", "A group", MAX_GROUP, null);

export async function addMember(
  unit: Unit,
  wanted: { id?: string; email: string; name: string; role: Role; group?: string | null },
): Promise<MemberRecord> {
  const email = demandEmail(wanted.email);
  if (await unit.members.byEmail(email)) throw refuse("member_exists");
  const member: MemberRecord = {
    id: wanted.id ?? unit.newId(),
    email,
    name: shownLineOr(wanted.name, "A name", MAX_NAME, email),
    role: wanted.role,
    group: groupOf(wanted.group),
    timeZone: null,
    joinedAt: unit.now,
    refs: {},
    statusKey: null,
    statusExpiresAt: null,
    statusSetAt: null,
    statusSource: "default",
    statusNote: null,
    statusBy: null,
    statusPlan: null,
    ...NOTHING_CHOSEN,
  };
  await unit.members.insert(member);
  await forgetInvitation(unit, email);
  unit.emit("member.joined", memberData(unit, member));
  return member;
}

/** Whoever is a member, or was one, does not come in by what was said before. */
async function forgetInvitation(unit: Unit, email: string): Promise<void> {
  const invitation = await unit.invitations.byEmail(email);
  if (invitation) await unit.invitations.delete(invitation.id);
}

/** The member's TODOs go along; `member.left` stands for all of it. */
export async function removeMember(unit: Unit, email: string): Promise<void> {
  const found = await unit.members.byEmail(normalEmail(email));
  if (!found) throw refuse("member_not_found");
  const member = await expireStatus(unit, found);
  await unit.members.delete(member, unit.now);
  await forgetInvitation(unit, member.email);
  unit.emit("member.left", memberData(unit, member));
}

/** Removes a member in the app: the last one who may do so stays. */
export async function removeMemberById(unit: Unit, id: string): Promise<void> {
  const member = await memberById(unit, id);
  await demandOtherAdmin(unit, member);
  await removeMember(unit, member.email);
}

export type Profile = Pick<MemberRecord, "name" | "role" | "group" | "timeZone">;

export async function changeProfile(
  unit: Unit,
  member: MemberRecord,
  patch: { readonly [Field in keyof Profile]?: Profile[Field] | undefined },
): Promise<MemberRecord> {
  const next: MemberRecord = {
    ...member,
    name: patch.name === undefined ? member.name : shownLine(patch.name, "A name", MAX_NAME),
    role: patch.role ?? member.role,
    group: patch.group === undefined ? member.group : groupOf(patch.group),
    timeZone: patch.timeZone === undefined ? member.timeZone : patch.timeZone,
  };
  if (next.timeZone !== null && !isTimeZone(next.timeZone))
    throw refuse("invalid", `"${next.timeZone}" is not a time zone.`);
  if (next.role !== "admin") await demandOtherAdmin(unit, member);
  const changed = (["name", "role", "group", "timeZone"] as const).filter(
    (field) => next[field] !== member[field],
  );
  if (changed.length === 0) return member;
  await unit.members.saveProfile(next);
  const moved = changed.includes("timeZone") ? await moveToZone(unit, next) : next;
  unit.audit(
    "member.changed",
    member.id,
    Object.fromEntries(changed.map((field) => [field, { from: member[field], to: next[field] }])),
  );
  unit.touch({ member: member.id });
  return moved;
}

async function demandOtherAdmin(unit: Unit, member: MemberRecord): Promise<void> {
  if (member.role === "admin" && (await unit.members.countAdmins()) <= 1) throw refuse("last_admin");
}

/** Sets or, with null, forgets the calling integration's own reference for a member. */
export async function setExternalRef(
  unit: Unit,
  integration: IntegrationRecord,
  member: MemberRecord,
  ref: string | null,
): Promise<MemberRecord> {
  const held = Object.hasOwn(member.refs, integration.name) ? member.refs[integration.name] : undefined;
  if ((held ?? null) === ref) return member;
  if (ref !== null) {
    const holder = await unit.members.byRef(integration.id, ref);
    if (holder && holder.id !== member.id) throw refuse("external_ref_taken");
  }
  const { [integration.name]: _, ...others } = member.refs;
  const refs = ref === null ? others : { ...others, [integration.name]: ref };
  await unit.members.saveRefs(member, integration, ref, refs);
  unit.audit("member.external_ref.set", member.id, { integration: integration.name, externalRef: ref });
  return { ...member, refs };
}

function memberData(unit: Unit, member: MemberRecord): EventData<"member.joined"> {
  const { externalRef: _, ...view } = memberView(
    unit.org.vocabulary,
    member,
    null,
    unit.avatarUrl(member.email),
    unit.now,
  );
  return { member: { ...view, externalRefs: { ...member.refs } } };
}
