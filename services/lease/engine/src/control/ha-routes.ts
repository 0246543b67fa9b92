import type { HttpServer } from "@frontdesk/kit/http-server";
import {
  HaInvitation,
  HaJoin,
  HaJoined,
  HaPartnerDown,
  HaRefusal,
  HaResume,
  HaStatus,
} from "@frontdesk/lease-control-api/ha";
import type { FastifyReply } from "fastify";
import { Type } from "typebox";
import type { HaAnswer } from "../calls.ts";
import { haView } from "./ha-view.ts";
import { type ControlParts, refuse, timeFrom } from "./parts.ts";

/** The pair: how it is, and what the operator may tell it. */
export function haRoutes(app: HttpServer, { thread, peer, config }: ControlParts): void {
  const nodes = () => config.config.haNodes ?? refuse("ha_no_nodes");
  const off = () => refuse(peer.isUnpaired ? "ha_not_paired" : "ha_off");
  const refused = (reply: FastifyReply, reason: string) =>
    reply.code(409).send({ error: "ha_refused", reason });

  app.get(
    "/v1/ha/status",
    { schema: { summary: "The pair, as this node sees it", response: { 200: HaStatus } } },
    async () => {
      const status = await thread.ask("haStatus", {});
      return status === "off" ? off() : haView(status, peer.linkProblem);
    },
  );

  app.post(
    "/v1/ha/pair",
    {
      schema: {
        summary: "On the primary: a code for the node that is to be its secondary",
        response: { 200: HaInvitation, 409: HaRefusal },
      },
    },
    async (_request, reply) => {
      const status = await thread.ask("haStatus", {});
      if (status !== "off" && status.link === "up") {
        return refused(reply, "The peer is there: stop it before another node is paired in its place.");
      }
      const invited = await peer.invite(nodes());
      if ("refused" in invited) return refused(reply, invited.refused);
      const { address, code, expiresAt } = invited;
      return { address, code, expires_at: new Date(expiresAt).toISOString() };
    },
  );

  app.post(
    "/v1/ha/join",
    {
      schema: {
        summary: "On the secondary: become one of the pair",
        body: HaJoin,
        response: { 200: HaJoined, 409: HaRefusal },
      },
    },
    async ({ body }, reply) => {
      const joined = await peer.join(nodes(), body.address, body.code);
      if ("refused" in joined) return refused(reply, joined.refused);
      const { fingerprint: peer_fingerprint, isOn: enabled } = joined;
      return { role: "secondary" as const, peer_fingerprint, enabled };
    },
  );

  const answer = (result: HaAnswer, reply: FastifyReply) => {
    if (result === "off") return off();
    if (result === "not_saved") return refuse("not_saved");
    if ("refused" in result) return refused(reply, result.refused);
    return reply.code(204).send(null);
  };
  const replies = { 204: Type.Null(), 409: HaRefusal };

  app.post(
    "/v1/ha/partner-down",
    {
      schema: {
        summary: "The peer has stopped: take over what is its",
        body: HaPartnerDown,
        response: replies,
      },
    },
    async ({ body }, reply) => {
      const { stopped_at, force } = body;
      const command = {
        name: "partner-down",
        ...(stopped_at === undefined ? {} : { stoppedAt: timeFrom(stopped_at) / 1000 }),
        ...(force === undefined ? {} : { force }),
      } as const;
      return answer(await thread.ask("haCommand", command), reply);
    },
  );

  app.post(
    "/v1/ha/maintenance",
    { schema: { summary: "Hand everything over to the peer and stop answering", response: replies } },
    async (_request, reply) => answer(await thread.ask("haCommand", { name: "maintenance" }), reply),
  );

  app.post(
    "/v1/ha/resume",
    { schema: { summary: "Serve again", body: HaResume, response: replies } },
    async ({ body }, reply) =>
      answer(await thread.ask("haCommand", { name: "resume", alone: body.alone ?? false }), reply),
  );
}
