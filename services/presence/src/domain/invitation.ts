import type { EmailAddress } from "@frontdesk/signin/email-address";
import { refuse } from "./codes.ts";
import { invitationMail } from "./mail-texts.ts";
import { addMember, demandEmail, groupOf } from "./member.ts";
import type { InvitationRecord, MemberRecord, Role } from "./records.ts";
import { isShownLine } from "./shown-text.ts";
import type { Unit } from "./unit.ts";

const MAX_INVITATIONS = 500;
const LIFETIME_MS = 30 * 24 * 3_600_000;

/** Invites by mail; who is invited already is invited anew. */
export async function invite(
  unit: Unit,
  wanted: { readonly email: string; readonly role: Role; readonly group: string | null },
  appUrl: string,
): Promise<InvitationRecord> {
  const email = demandEmail(wanted.email);
  if (await unit.members.byEmail(email))
    throw refuse("member_exists", `${email} is a member of this organisation.`);
  const earlier = await unit.invitations.byEmail(email);
  const isOpen = earlier !== undefined && earlier.expiresAt > unit.now;
  if (!isOpen && (await unit.invitations.countOpen(unit.now)) >= MAX_INVITATIONS)
    throw refuse("too_many_invitations");
  const invitation: InvitationRecord = {
    id: earlier?.id ?? unit.newId(),
    email,
    role: wanted.role,
    group: groupOf(wanted.group),
    invitedBy: unit.actor.kind === "member" ? unit.actor.memberId : null,
    createdAt: unit.now,
    expiresAt: unit.now + LIFETIME_MS,
  };
  await unit.invitations.save(invitation);
  await unit.mail([email], invitationMail((await unit.settings()).name, appUrl), invitation.id);
  unit.audit("member.invited", invitation.id, { email, role: wanted.role });
  return invitation;
}

export async function inviteAgain(unit: Unit, id: string, appUrl: string): Promise<void> {
  const invitation = await existing(unit, id);
  const { email, role } = invitation;
  await invite(unit, { email, role, group: shownGroup(invitation) }, appUrl);
}

export async function withdrawInvitation(unit: Unit, id: string): Promise<void> {
  const { email } = await existing(unit, id);
  await unit.invitations.delete(id);
  unit.audit("member.invitation_withdrawn", id, { email });
}

/**
 * Whoever has shown that an address is theirs joins the organisation that has invited it: as the actor of the change, with
 * the id that they have from then on.
 */
export async function acceptInvitation(unit: Unit, email: EmailAddress): Promise<MemberRecord | undefined> {
  const invitation = await unit.invitations.byEmail(email);
  if (!invitation) return undefined;
  await unit.invitations.delete(invitation.id);
  const member = await unit.members.byEmail(email);
  if (member || invitation.expiresAt <= unit.now) return member;
  const { role } = invitation;
  const own = unit.actor.kind === "member" ? { id: unit.actor.memberId } : {};
  return addMember(unit, { ...own, email, name: "", role, group: shownGroup(invitation) });
}

/** Invitations from before groups were looked at may have one that no member can have. */
const shownGroup = ({ group }: InvitationRecord): string | null =>
  group !== null && isShownLine(group) ? group : null;

async function existing(unit: Unit, id: string): Promise<InvitationRecord> {
  const invitation = await unit.invitations.find(id);
  if (!invitation) throw refuse("invitation_not_found");
  return invitation;
}
