import { DomainError } from "@frontdesk/kit/domain-error";
import type { HttpServer } from "@frontdesk/kit/http-server";
import { HaPartnerDown, HaResume } from "@frontdesk/lease-control-api/ha";
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";
import { authorOf } from "./gate.ts";
import { HaView } from "./ha-schemas.ts";
import type { ManagerParts } from "./parts.ts";

/** The pair of engines, as the one of this manager sees it. */
export function haRoutes(app: HttpServer, { engine, audited }: ManagerParts): void {
  const command = (request: FastifyRequest, action: string, does: () => Promise<void>) => {
    const details = request.body ? JSON.stringify(request.body) : null;
    return audited({ author: authorOf(request), action, details }, does);
  };

  app.get(
    "/api/v1/ha/status",
    {
      schema: {
        operationId: "getHaStatus",
        summary: "The pair of engines; null while this one answers alone",
        tags: ["engine"],
        response: { 200: HaView },
      },
    },
    async () => {
      try {
        return { pair: await engine.haStatus() };
      } catch (error) {
        if (error instanceof DomainError && error.code === "ha_off") return { pair: null };
        throw error;
      }
    },
  );

  app.post(
    "/api/v1/ha/partner-down",
    {
      schema: {
        operationId: "declarePartnerDown",
        summary: "The peer has stopped: take over what is its",
        description:
          "Only of a peer that has stopped and stays so. Declared of one that serves, two clients may get one address.",
        tags: ["engine"],
        body: HaPartnerDown,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await command(request, "ha_partner_down", () => engine.haPartnerDown(request.body));
      return reply.code(204).send(null);
    },
  );

  app.post(
    "/api/v1/ha/maintenance",
    {
      schema: {
        operationId: "beginHaMaintenance",
        summary: "Hand everything over to the peer and stop answering",
        tags: ["engine"],
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await command(request, "ha_maintenance", () => engine.haMaintenance());
      return reply.code(204).send(null);
    },
  );

  app.post(
    "/api/v1/ha/resume",
    {
      schema: {
        operationId: "resumeHa",
        summary: "Serve again",
        tags: ["engine"],
        body: HaResume,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await command(request, "ha_resume", () => engine.haResume(request.body));
      return reply.code(204).send(null);
    },
  );
}
