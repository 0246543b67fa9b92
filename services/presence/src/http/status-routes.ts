import { DomainError } from "@frontdesk/kit/domain-error";
import { DatabaseAway } from "@frontdesk/store/database-away";
import type { Static } from "typebox";
import { type Code, refuse } from "../domain/codes.ts";
import { findMember, type MemberAddress } from "../domain/member.ts";
import type { MemberRecord } from "../domain/records.ts";
import { MemberStatus, StatusDefinition } from "../domain/resources.ts";
import { clearStatus, memberStatusView, setStatus } from "../domain/status.ts";
import type { Unit } from "../domain/unit.ts";
import { type Visitor, visitorOf } from "./gate.ts";
import { ADDRESSES, addressOf } from "./member-address.ts";
import { STATUS_OF } from "./problem.ts";
import { BatchReply } from "./replies.ts";
import { BatchBody, OrgParams, StatusBody } from "./requests.ts";
import type { Routes } from "./routes.ts";
import { pageOf, ref } from "./schema-reference.ts";

const ITEMS_PER_UNIT = 50;
/** Room for 500 items with the longest address, reference and time there are. */
export const BATCH_BODY_LIMIT = 512 * 1024;
/** Later times have years of more than four digits, which ISO 8601 as we publish it has not. */
const MAX_TIME = Date.parse("9999-12-31T23:59:59.999Z");

export function statusRoutes({ app, desk, reader, gate, clock }: Routes): void {
  app.get(
    "/statuses",
    {
      config: { needs: [["statuses:read"]] },
      schema: {
        operationId: "listStatuses",
        tags: ["statuses"],
        summary: "The organisation's status vocabulary",
        params: OrgParams,
        response: { 200: pageOf(StatusDefinition) },
        "x-problems": [],
      },
    },
    async (request) => ({
      data: [...(await reader.vocabulary(visitorOf(request).holder.org.id))],
      nextCursor: null,
    }),
  );

  for (const { path, params, suffix, how } of ADDRESSES) {
    const common = { tags: ["statuses"], params };
    app.get(
      `${path}/status`,
      {
        config: { needs: [["status:read"]] },
        schema: {
          ...common,
          operationId: `getStatus${suffix}`,
          summary: `A member's current status, ${how}`,
          response: { 200: ref(MemberStatus) },
          "x-problems": [],
        },
      },
      async (request) => {
        const { holder, integration } = visitorOf(request);
        const { id } = holder.org;
        const member = await reader.member(id, integration.id, addressOf(request.params));
        return memberStatusView(await reader.vocabulary(id), member, integration.name, clock.now());
      },
    );

    app.post(
      `${path}/status`,
      {
        config: { needs: [["status:write"]] },
        schema: {
          ...common,
          operationId: `setStatus${suffix}`,
          summary: `Set a member's status, ${how}`,
          description: "At `expiresAt` it returns to the default. Setting the same again changes nothing.",
          body: StatusBody,
          response: { 200: ref(MemberStatus) },
          "x-problems": [],
        },
      },
      async (request) => {
        const visitor = visitorOf(request);
        return desk.change(visitor.holder.org.id, visitor.actor, (unit) =>
          set(unit, visitor, addressOf(request.params), request.body),
        );
      },
    );

    app.delete(
      `${path}/status`,
      {
        config: { needs: [["status:write"]] },
        schema: {
          ...common,
          operationId: `clearStatus${suffix}`,
          summary: `Return a member's status to the default, ${how}`,
          response: { 200: ref(MemberStatus) },
          "x-problems": [],
        },
      },
      async (request) => {
        const visitor = visitorOf(request);
        return desk.change(visitor.holder.org.id, visitor.actor, async (unit) => {
          const member = await findMember(unit, addressOf(request.params));
          return view(unit, visitor, await clearStatus(unit, member));
        });
      },
    );
  }

  app.post(
    "/members/status::batch",
    {
      config: { needs: [["status:write"]] },
      bodyLimit: BATCH_BODY_LIMIT,
      schema: {
        operationId: "setStatuses",
        tags: ["statuses"],
        summary: "Set up to 500 statuses, with a result for each",
        description: `Counts as one request for each ${ITEMS_PER_UNIT} items begun.`,
        params: OrgParams,
        body: BatchBody,
        response: { 200: BatchReply },
        "x-problems": [],
      },
    },
    async (request, reply) => {
      const visitor = visitorOf(request);
      const { items } = request.body;
      const units = Math.ceil(items.length / ITEMS_PER_UNIT);
      // The gate has counted one: when there is no room for the rest, that one is given back.
      if (units > 1) await gate.spend(reply, visitor.holder.tokenId, units - 1, 1);
      const results: Array<Static<typeof BatchReply>["results"][number]> = [];
      // A chunk is one transaction, so that a long list neither waits for the disk at each item nor
      // keeps everyone else waiting.
      for (let from = 0; from < items.length; from += ITEMS_PER_UNIT) {
        const chunk = items.slice(from, from + ITEMS_PER_UNIT);
        const outcomes = await desk
          .change(visitor.holder.org.id, visitor.actor, async (unit) => {
            const found = [];
            for (const item of chunk) found.push(await outcome(unit, visitor, item));
            return found;
          })
          .catch((error) => {
            // What was set before stands, and is told: a token may be revoked meanwhile.
            if (from === 0) throw error;
            const refused = refusalOf(error);
            return chunk.map(() => refused);
          });
        for (const each of outcomes) results.push({ index: results.length, ...each });
      }
      return { results };
    },
  );
}

async function set(unit: Unit, visitor: Visitor, address: MemberAddress, wanted: StatusBody) {
  const member = await findMember(unit, address);
  const request = { status: wanted.status, expiresAt: timeOf(wanted.expiresAt) };
  return view(unit, visitor, await setStatus(unit, member, request));
}

/** By the vocabulary that the change was made with. */
const view = (unit: Unit, { integration }: Visitor, member: MemberRecord): MemberStatus =>
  memberStatusView(unit.org.vocabulary, member, integration.name, unit.now);

/** A refused item has changed nothing, so the others of its chunk stand. */
async function outcome(unit: Unit, visitor: Visitor, item: BatchBody["items"][number]) {
  try {
    const { email, externalRef } = item;
    if ((email === undefined) === (externalRef === undefined)) {
      throw refuse("invalid", "An item has either an email or an externalRef.");
    }
    const address = email === undefined ? { externalRef: externalRef as string } : { email };
    return { status: 200, data: await set(unit, visitor, address, item) };
  } catch (error) {
    return refusalOf(error);
  }
}

function refusalOf(error: unknown) {
  // A database that is away is nobody's item: the whole request is answered with it.
  if (!(error instanceof DomainError) || error instanceof DatabaseAway) throw error;
  const { code, message } = error as DomainError<Code>;
  return { status: STATUS_OF[code], problem: { code, detail: message } };
}

/** The schema lets through what looks like a time; a leap second, for one, is none that we can keep. */
function timeOf(text: string | null | undefined): number | null {
  if (text === null || text === undefined) return null;
  const time = Date.parse(text);
  if (Number.isNaN(time) || time > MAX_TIME) throw refuse("invalid", `expiresAt "${text}" is not a time.`);
  return time;
}
