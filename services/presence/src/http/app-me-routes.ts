import type { Ids } from "@frontdesk/kit/ids";
import type { EmailAddress } from "@frontdesk/signin/email-address";
import { callerOf } from "@frontdesk/signin/session-gate";
import type { Static } from "typebox";
import type { Actor } from "../domain/actor.ts";
import type { AppReadModel } from "../domain/app-read-model.ts";
import { refuse } from "../domain/codes.ts";
import { firstRun } from "../domain/first-run.ts";
import { acceptInvitation } from "../domain/invitation.ts";
import type { Desk } from "../domain/unit.ts";
import { FIRST_VOCABULARY } from "../domain/vocabulary.ts";
import type { AppRoutes } from "./app-parts.ts";
import { AppConfig, FirstRunBody, FirstRunDone, FirstRunOffer, FirstRunSecret, Me } from "./app-schemas.ts";

const tags = ["Account"];

/** Who is signed in and where, and the way to the first organisation. */
export const appMeRoutes: AppRoutes = (app, parts) => {
  const { appReader, desk, clock, ids, firstRuns } = parts;

  app.get(
    "/config",
    {
      schema: {
        summary: "What the pages need to know before anybody has signed in",
        tags,
        security: [],
        response: { 200: AppConfig },
      },
    },
    async () => ({ firstRun: await parts.isFirstRun(), mail: parts.mail, version: parts.version }),
  );

  app.post(
    "/first-run/offer",
    {
      schema: {
        summary: "What the first organisation can begin with, for whoever has the one-time link",
        tags,
        security: [],
        body: FirstRunSecret,
        response: { 200: FirstRunOffer },
        "x-problems": [410],
      },
    },
    async (request) => {
      if (!(await firstRuns.isLive(request.body.secret))) throw refuse("first_run_over");
      return { statuses: FIRST_VOCABULARY.map(({ key, label, emoji }) => ({ key, label, emoji })) };
    },
  );

  app.post(
    "/first-run",
    {
      schema: {
        summary: "Make the first organisation with the one-time link",
        tags,
        security: [],
        body: FirstRunBody,
        response: { 200: FirstRunDone },
        "x-problems": [410],
      },
    },
    async (request) => {
      const tools = { desk, newId: () => ids.next(), now: clock.now() };
      return { org: await firstRun(tools, request.body as Static<typeof FirstRunBody>) };
    },
  );

  app.get(
    "/me",
    { schema: { summary: "Who is signed in, and where", tags, response: { 200: Me } } },
    async (request) => me(appReader, callerOf(request).accountId, clock.now()),
  );

  app.post(
    "/me/invitations/accept",
    {
      schema: {
        summary: "Join every organisation that has invited this address",
        description: "Signing in does it, too.",
        tags,
        response: { 200: Me },
      },
    },
    async (request) => {
      const { accountId } = callerOf(request);
      await acceptInvitations(parts, accountId as EmailAddress, clock.now());
      return me(appReader, accountId, clock.now());
    },
  );
};

async function me(reader: AppReadModel, email: string, now: number): Promise<Static<typeof Me>> {
  const memberships = await reader.membershipsOf(email);
  const invitations = await reader.invitationsTo(email, now);
  return {
    email,
    orgs: memberships.map(({ org, member }) => ({
      slug: org.slug,
      name: org.name,
      memberId: member.id,
      role: member.role,
    })),
    invitations: invitations.map(({ org, role }) => ({ org: org.name, role })),
  };
}

interface Accepting {
  readonly desk: Pick<Desk, "change">;
  readonly appReader: Pick<AppReadModel, "invitationsTo">;
  readonly ids: Ids;
}

/** Whoever has shown that an address is theirs joins wherever it is invited; then the first failure is thrown, if any. */
export async function acceptInvitations(
  { desk, appReader, ids }: Accepting,
  email: EmailAddress,
  now: number,
): Promise<void> {
  const failures: unknown[] = [];
  for (const { org } of await appReader.invitationsTo(email, now)) {
    const newcomer: Actor = { kind: "member", memberId: ids.next() };
    await desk
      .change(org.id, newcomer, (unit) => acceptInvitation(unit, email))
      .catch((failure: unknown) => failures.push(failure));
  }
  if (failures.length > 0) throw failures[0];
}
