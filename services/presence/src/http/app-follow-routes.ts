import { follow, followAll, unfollow } from "../domain/follows.ts";
import { colleagueOf } from "./app-gate.ts";
import type { AppRoutes } from "./app-parts.ts";
import { FollowsBody } from "./app-schemas.ts";
import { IdParams } from "./app-status-routes.ts";
import { OrgParams } from "./requests.ts";

const tags = ["Board"];

/** Whose changes a member wants to be told of. */
export const appFollowRoutes: AppRoutes = (app, { desk }) => {
  app.put(
    "/orgs/:org/me/follows",
    {
      schema: {
        summary: "Follow these and nobody else",
        tags,
        params: OrgParams,
        body: FollowsBody,
        response: { 200: FollowsBody },
      },
    },
    async (request) => {
      const { org, member, actor } = colleagueOf(request);
      const { members } = request.body;
      return { members: await desk.change(org.id, actor, (unit) => followAll(unit, member, members)) };
    },
  );

  for (const { method, summary, act } of [
    { method: "PUT", summary: "Follow somebody", act: follow },
    { method: "DELETE", summary: "Follow somebody no longer", act: unfollow },
  ] as const) {
    app.route({
      method,
      url: "/orgs/:org/me/follows/:id",
      schema: { summary, tags, params: IdParams, response: { 200: FollowsBody }, "x-problems": [409] },
      handler: async (request) => {
        const { org, member, actor } = colleagueOf(request);
        const { id } = request.params;
        return { members: await desk.change(org.id, actor, (unit) => act(unit, member, id)) };
      },
    });
  }
};
