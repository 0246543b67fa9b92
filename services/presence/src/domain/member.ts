import { integrationOf } from "./actor.ts";
import { isoTime } from "./clock-text.ts";
import { refuse } from "./codes.ts";
import { refOf } from "./external-ref.ts";
import type { IntegrationRecord, MemberRecord } from "./records.ts";
import type { EventData, Member, StatusDefinition } from "./resources.ts";
import { expireStatus, statusView } from "./status.ts";
import type { Unit } from "./unit.ts";

/** How a request names a member. */
export type MemberAddress = { readonly email: string } | { readonly externalRef: string };

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
  return {
    id: member.id,
    email: member.email,
    name: member.name,
    externalRef: refOf(member, integration),
    status: statusView(vocabulary, member, now),
    avatarUrl,
    joinedAt: isoTime(member.joinedAt),
  };
}

function demandEmail(text: string): string {
  const email = normalEmail(text);
  if (email.length > 254 || !/^[^\s@/]+@[^\s@/]+$/.test(email))
    throw refuse("invalid", `"${text.slice(0, 254)}" is not an e-mail address.`);
  return email;
}

export async function addMember(
  unit: Unit,
  wanted: { email: string; name: string; role: MemberRecord["role"] },
): Promise<MemberRecord> {
  const email = demandEmail(wanted.email);
  if (await unit.members.byEmail(email)) throw refuse("member_exists");
  const member: MemberRecord = {
    id: unit.newId(),
    email,
    name: wanted.name.trim() || email,
    role: wanted.role,
    joinedAt: unit.now,
    refs: {},
    statusKey: null,
    statusExpiresAt: null,
    statusSetAt: null,
    statusSource: "default",
  };
  await unit.members.insert(member);
  unit.emit("member.joined", memberData(unit, member));
  return member;
}

/** The member's TODOs go along; `member.left` stands for all of it. */
export async function removeMember(unit: Unit, email: string): Promise<void> {
  const found = await unit.members.byEmail(normalEmail(email));
  if (!found) throw refuse("member_not_found");
  const member = await expireStatus(unit, found);
  await unit.members.delete(member.id);
  unit.emit("member.left", memberData(unit, member));
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
