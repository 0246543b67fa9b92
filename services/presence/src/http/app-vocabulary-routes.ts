import { type Static, Type } from "typebox";
import { refuse } from "../domain/codes.ts";
import type { Org } from "../domain/records.ts";
import { boardStatus } from "../domain/status-kind.ts";
import {
  addStatus,
  changeDefinition,
  type StatusPatch as Patch,
  removeStatus,
} from "../domain/vocabulary.ts";
import { AdminStatus, AdminStatusList, NewStatus, StatusPatch, StatusRemoved } from "./app-admin-schemas.ts";
import { colleagueOf } from "./app-gate.ts";
import type { AppParts, AppRoutes } from "./app-parts.ts";
import { OrgParams, words } from "./requests.ts";

const tags = ["Vocabulary"];
const KeyParams = Type.Object({ org: words(63), key: words(40) });

async function listOf(
  { appReader: reader, clock }: Pick<AppParts, "appReader" | "clock">,
  orgId: string,
): Promise<Static<typeof AdminStatusList>> {
  const org = (await reader.org(orgId)) as Org;
  const { holders, planned } = await reader.statusCounts(orgId, clock.now());
  return {
    data: org.vocabulary.map((definition) => ({
      status: boardStatus(definition),
      holders: (holders.get(definition.key) ?? 0) + (definition.isDefault ? (holders.get(null) ?? 0) : 0),
      planned: planned.get(definition.key) ?? 0,
    })),
  };
}

/** The statuses that members choose from. */
export const appVocabularyRoutes: AppRoutes = (app, parts) => {
  const { desk } = parts;
  const oneOf = async (orgId: string, key: string) => {
    const found = (await listOf(parts, orgId)).data.find(({ status }) => status.key === key);
    if (!found) throw refuse("unknown_status");
    return found;
  };

  app.get(
    "/orgs/:org/statuses",
    {
      schema: {
        summary: "The vocabulary, with how many members have each status",
        tags,
        params: OrgParams,
        response: { 200: AdminStatusList },
      },
    },
    (request) => listOf(parts, colleagueOf(request).org.id),
  );
  app.post(
    "/orgs/:org/statuses",
    {
      schema: {
        summary: "Add a status",
        tags,
        params: OrgParams,
        body: NewStatus,
        response: { 201: AdminStatus },
        "x-problems": [409],
      },
    },
    async (request, reply) => {
      const { org, actor } = colleagueOf(request);
      await desk.change(org.id, actor, (unit) => addStatus(unit, request.body));
      return reply.code(201).send(await oneOf(org.id, request.body.key));
    },
  );
  app.patch(
    "/orgs/:org/statuses/:key",
    {
      schema: {
        summary: "Change a status, its place in the list, or make it the default",
        tags,
        params: KeyParams,
        body: StatusPatch,
        response: { 200: AdminStatus },
      },
    },
    async (request) => {
      const { org, actor } = colleagueOf(request);
      const { key } = request.params;
      await desk.change(org.id, actor, (unit) => changeDefinition(unit, key, request.body as Patch));
      return oneOf(org.id, key);
    },
  );
  app.delete(
    "/orgs/:org/statuses/:key",
    {
      schema: {
        summary:
          "Remove a status; whoever has it falls back to what they have chosen, otherwise to the default",
        tags,
        params: KeyParams,
        response: { 200: StatusRemoved },
        "x-problems": [409],
      },
    },
    async (request) => {
      const { org, actor } = colleagueOf(request);
      return desk.change(org.id, actor, (unit) => removeStatus(unit, request.params.key));
    },
  );
};
