import { type Static, Type } from "typebox";
import { boardMember, orgView } from "../domain/board.ts";
import { isoTime } from "../domain/clock-text.ts";
import { invite, inviteAgain, withdrawInvitation } from "../domain/invitation.ts";
import { changeProfile, demandEmail, memberById, removeMemberById } from "../domain/member.ts";
import { changeSettings } from "../domain/org.ts";
import type { InvitationRecord } from "../domain/records.ts";
import {
  type Invitation,
  InvitationList,
  MemberPatch,
  MemberReply,
  NewInvitations,
  OrgPatch,
  OrgReply,
} from "./app-admin-schemas.ts";
import { colleagueOf } from "./app-gate.ts";
import type { AppRoutes } from "./app-parts.ts";
import { IdParams } from "./app-status-routes.ts";
import { OrgParams } from "./requests.ts";

const tags = ["Members"];

const invitationView = (invitation: InvitationRecord): Invitation => ({
  id: invitation.id,
  email: invitation.email,
  role: invitation.role,
  group: invitation.group,
  invitedBy: invitation.invitedBy,
  createdAt: isoTime(invitation.createdAt),
  expiresAt: isoTime(invitation.expiresAt),
});

/** Who belongs to the organisation, and its settings. */
export const appMemberRoutes: AppRoutes = (app, { desk, appReader, publicUrl, countInvitations }) => {
  /** Invitations that were refused count for nobody. */
  const counted = async <T>(orgId: string, emails: readonly string[], work: () => Promise<T>): Promise<T> => {
    const { giveBack } = await countInvitations(orgId, emails);
    try {
      return await work();
    } catch (error) {
      await giveBack();
      throw error;
    }
  };

  app.patch(
    "/orgs/:org",
    {
      schema: {
        summary: "Change the organisation's name, zone or closing time",
        tags: ["Organisation"],
        params: OrgParams,
        body: OrgPatch,
        response: { 200: OrgReply },
      },
    },
    async (request) => {
      const { org, actor } = colleagueOf(request);
      const { body } = request;
      return orgView(org.slug, await desk.change(org.id, actor, (unit) => changeSettings(unit, body)));
    },
  );

  app.patch(
    "/orgs/:org/members/:id",
    {
      schema: {
        summary: "Change a member's name, group, zone or role",
        tags,
        params: IdParams,
        body: MemberPatch,
        response: { 200: MemberReply },
        "x-problems": [409],
      },
    },
    async (request) => {
      const { org, actor } = colleagueOf(request);
      const { body, params } = request;
      return desk.change(org.id, actor, async (unit) => {
        const changed = await changeProfile(unit, await memberById(unit, params.id), body);
        return boardMember(unit.org.vocabulary, changed, unit.avatarUrl(changed.email), unit.now);
      });
    },
  );

  app.delete(
    "/orgs/:org/members/:id",
    {
      schema: {
        summary: "Remove a member with their TODOs",
        tags,
        params: IdParams,
        response: { 204: Type.Null({ description: "Removed" }) },
        "x-problems": [409],
      },
    },
    async (request, reply) => {
      const { org, actor } = colleagueOf(request);
      await desk.change(org.id, actor, (unit) => removeMemberById(unit, request.params.id));
      return reply.code(204).send(null);
    },
  );

  app.get(
    "/orgs/:org/invitations",
    { schema: { summary: "Who is invited", tags, params: OrgParams, response: { 200: InvitationList } } },
    async (request) => {
      const invitations = await appReader.invitations(colleagueOf(request).org.id);
      return { data: invitations.map(invitationView) };
    },
  );
  app.post(
    "/orgs/:org/invitations",
    {
      schema: {
        summary: "Invite people by mail, all or none",
        tags,
        params: OrgParams,
        body: NewInvitations,
        response: { 201: InvitationList },
        "x-problems": [409, 429],
      },
    },
    async (request, reply) => {
      const { org, actor } = colleagueOf(request);
      const { emails, role, group = null } = request.body as Static<typeof NewInvitations>;
      // Each once, however often and however it was written.
      const addresses = [...new Set(emails.map(demandEmail))];
      const made = await counted(org.id, addresses, () =>
        desk.change(org.id, actor, async (unit) => {
          const invitations = [];
          for (const email of addresses)
            invitations.push(await invite(unit, { email, role, group }, publicUrl));
          return invitations;
        }),
      );
      return reply.code(201).send({ data: made.map(invitationView) });
    },
  );
  app.post(
    "/orgs/:org/invitations/:id/resend",
    {
      schema: {
        summary: "Mail an invitation again",
        tags,
        params: IdParams,
        response: { 204: Type.Null({ description: "Mailed" }) },
        "x-problems": [429],
      },
    },
    async (request, reply) => {
      const { org, actor } = colleagueOf(request);
      const { id } = request.params;
      const [again] = (await appReader.invitations(org.id)).filter((each) => each.id === id);
      const emails = again ? [again.email] : [];
      await counted(org.id, emails, () =>
        desk.change(org.id, actor, (unit) => inviteAgain(unit, id, publicUrl)),
      );
      return reply.code(204).send(null);
    },
  );
  app.delete(
    "/orgs/:org/invitations/:id",
    {
      schema: {
        summary: "Withdraw an invitation",
        tags,
        params: IdParams,
        response: { 204: Type.Null({ description: "Withdrawn" }) },
      },
    },
    async (request, reply) => {
      const { org, actor } = colleagueOf(request);
      await desk.change(org.id, actor, (unit) => withdrawInvitation(unit, request.params.id));
      return reply.code(204).send(null);
    },
  );
};
