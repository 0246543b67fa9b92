import type { AppOperations } from "../../src/http/app-operation-schemas.ts";
import type { SharedStreamEvents, StreamEvents } from "../../src/http/app-stream-schemas.ts";

/** What the service publishes, by the names that the pages have for it. Types alone: nothing of them is in a page. */
export type Reply<Name extends keyof AppOperations> = AppOperations[Name]["reply"];
type Body<Name extends keyof AppOperations> = AppOperations[Name] extends { body: infer B } ? B : never;

export type { SharedStreamEvents, StreamEvents };
export type Me = Reply<"GET /me">;
export type Board = Reply<"GET /orgs/{org}/board">;
export type Member = Board["members"][number];
export type Status = Board["statuses"][number];
export type Kind = Status["kind"];
export type Role = Member["role"];
export type StatusChanged = Reply<"PUT /orgs/{org}/me/status">;
export type Until = NonNullable<Body<"PUT /orgs/{org}/me/status">["until"]>;
export type Todo = Reply<"GET /orgs/{org}/todos">["data"][number];
export type Project = Reply<"GET /orgs/{org}/projects">["data"][number]["project"];
export type Planned = Reply<"GET /orgs/{org}/me/planned">["data"][number];
export type PlannedBody = Body<"POST /orgs/{org}/me/planned">;
export type ShareLink = Reply<"GET /orgs/{org}/share-links">["data"][number];
export type Shared = Reply<"GET /shared/{token}">;
export type Invitation = Reply<"GET /orgs/{org}/invitations">["data"][number];
export type AdminStatus = Reply<"GET /orgs/{org}/statuses">["data"][number];
export type Token = Reply<"GET /orgs/{org}/tokens">["data"][number];
export type Webhook = Reply<"GET /orgs/{org}/webhooks">["data"][number];
export type Delivery = Reply<"GET /orgs/{org}/webhooks/{id}/deliveries">["data"][number];
export type AuditEntry = Reply<"GET /orgs/{org}/audit">["data"][number];
export type ScopeName = Body<"POST /orgs/{org}/tokens">["scopes"][number];
export type EventName = Body<"POST /orgs/{org}/webhooks">["events"][number];
