import { DomainError } from "@frontdesk/kit/domain-error";
import type { FastifyReply } from "fastify";
import { Type } from "typebox";
import type { TodoOrder } from "../domain/app-read-model.ts";
import { CODES, refuse } from "../domain/codes.ts";
import { memberById } from "../domain/member.ts";
import { archiveProject, createProject, projectView, renameProject } from "../domain/project.ts";
import type { ProjectRecord, TodoRecord } from "../domain/records.ts";
import {
  createTodo,
  deleteTodo,
  demandRoom,
  moveTodo,
  ownTodo,
  todoView,
  updateTodo,
} from "../domain/todo.ts";
import { etagOf } from "../domain/todo-condition.ts";
import type { Unit } from "../domain/unit.ts";
import { isVisibleTodo } from "./app-frames.ts";
import { colleagueOf } from "./app-gate.ts";
import type { AppRoutes } from "./app-parts.ts";
import { IdParams } from "./app-status-routes.ts";
import {
  NewProject,
  NewTodos,
  ProjectChange,
  ProjectList,
  ProjectReply,
  TodoChange,
  TodoListQuery,
  TodoMove,
  TodoPage,
  TodoReply,
  TodosMade,
} from "./app-task-schemas.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { conditionOf, requiredConditionOf } from "./if-match.ts";
import { IfMatch, OrgParams } from "./requests.ts";

const tags = ["TODOs"];
const PAGE = 200;
/** As many as this count as one change more. */
const TODOS_PER_WRITE = 10;
/** Room for 100 of the longest texts there are. */
const TODOS_BODY_LIMIT = 1024 * 1024;

/** Where a page of that order ends. */
const placeOf = ({ position, doneAt, updatedAt }: TodoRecord, order: TodoOrder = "position"): number =>
  ({ position, done: doneAt ?? 0, changed: updatedAt })[order];

const answer = (reply: FastifyReply, todo: TodoRecord) => {
  reply.header("etag", etagOf(todo));
  return todoView(todo);
};

/** One's own TODOs, and everyone's in projects: others' own are not there for this member. */
async function demandVisible(unit: Unit, id: string, memberId: string): Promise<TodoRecord> {
  const todo = await unit.todos.find(id);
  if (!todo || !isVisibleTodo(todo, memberId)) throw refuse("todo_not_found");
  return todo;
}

/** The project of an address: without it there is nothing there, while an unknown one in a body does not fit (422). */
async function demandProjectHere(unit: Unit, id: string): Promise<ProjectRecord> {
  const project = await unit.projects.find(id);
  if (!project) throw new DomainError("not_found", CODES.project_not_found);
  return project;
}

export const appTodoRoutes: AppRoutes = (app, { desk, appReader, countProject, countWrites }) => {
  app.get(
    "/orgs/:org/todos",
    {
      schema: {
        summary: "TODOs in their order: one's own, or everyone's in a project",
        tags,
        params: OrgParams,
        querystring: TodoListQuery,
        response: { 200: TodoPage },
      },
    },
    async (request) => {
      const { org, member } = colleagueOf(request);
      const { cursor, limit = PAGE, ...asked } = request.query;
      const whose = asked.member ?? (asked.project === undefined ? member.id : undefined);
      if (whose !== undefined && whose !== member.id && asked.project === undefined)
        throw refuse("forbidden", "Others' TODOs are seen in projects alone: say which one.");
      const filter = { ...asked, ...(whose === undefined ? {} : { member: whose }) };
      // Only positions have fractions: the other orders are by times.
      const kind = (asked.order ?? "position") === "position" ? "number" : "integer";
      const after = cursor === undefined ? undefined : decodeCursor(cursor, [kind, "string"]);
      const { items, more } = await appReader.todosOf(org.id, filter, after, limit);
      const last = items.at(-1);
      return {
        data: items.map(todoView),
        nextCursor: more && last ? encodeCursor([placeOf(last, asked.order), last.id]) : null,
      };
    },
  );

  app.post(
    "/orgs/:org/todos",
    {
      bodyLimit: TODOS_BODY_LIMIT,
      schema: {
        summary: "Create TODOs of one's own, all or none",
        description: "Those that an earlier request made with the same `id` are answered as they are stored.",
        tags,
        params: OrgParams,
        body: NewTodos,
        response: { 201: TodosMade },
        "x-problems": [409],
      },
    },
    async (request, reply) => {
      const { org, member, actor, sessionId } = colleagueOf(request);
      const { items } = request.body;
      countWrites(sessionId, Math.floor(items.length / TODOS_PER_WRITE));
      const made = await desk.change(org.id, actor, async (unit) => {
        const owner = await memberById(unit, member.id);
        let more = 0;
        for (const { id } of items) if (!(await ownTodo(unit, owner, id))) more++;
        if (more > 0) await demandRoom(unit, owner, more);
        const todos = [];
        for (const item of items) todos.push((await createTodo(unit, owner, item)).todo);
        return todos;
      });
      return reply.code(201).send({ data: made.map(todoView) });
    },
  );

  app.patch(
    "/orgs/:org/todos/:id",
    {
      schema: {
        summary: "Change a TODO: its text, project, link, whether it is done or archived",
        description: "Needs If-Match: a 412 carries the stored one as `current`.",
        tags,
        params: IdParams,
        headers: IfMatch,
        body: TodoChange,
        response: { 200: TodoReply },
        "x-problems": [412, 428],
      },
    },
    async (request, reply) => {
      const condition = requiredConditionOf(request.headers["if-match"]);
      const { org, member, actor } = colleagueOf(request);
      const { id } = request.params;
      const todo = await desk.change(org.id, actor, async (unit) => {
        const { memberId, projectId } = await demandVisible(unit, id, member.id);
        if (memberId !== member.id && projectId !== null && request.body.projectId === null)
          throw refuse(
            "forbidden",
            "Whose TODO it is takes it out of its project: nobody else sees it then.",
          );
        return updateTodo(unit, id, request.body, condition);
      });
      return answer(reply, todo);
    },
  );

  app.post(
    "/orgs/:org/todos/:id/move",
    {
      schema: {
        summary: "Put a TODO behind another one, or before all",
        tags,
        params: IdParams,
        body: TodoMove,
        response: { 200: TodoReply },
      },
    },
    async (request, reply) => {
      const { org, member, actor } = colleagueOf(request);
      const { id } = request.params;
      const todo = await desk.change(org.id, actor, async (unit) => {
        await demandVisible(unit, id, member.id);
        const { after } = request.body;
        if (after !== null) await demandVisible(unit, after, member.id);
        return moveTodo(unit, id, after);
      });
      return answer(reply, todo);
    },
  );

  app.delete(
    "/orgs/:org/todos/:id",
    {
      schema: {
        summary: "Delete a TODO",
        tags,
        params: IdParams,
        headers: IfMatch,
        response: { 204: Type.Null({ description: "Deleted" }) },
        "x-problems": [412],
      },
    },
    async (request, reply) => {
      const condition = conditionOf(request.headers["if-match"]);
      const { org, member, actor } = colleagueOf(request);
      const { id } = request.params;
      await desk.change(org.id, actor, async (unit) => {
        await demandVisible(unit, id, member.id);
        return deleteTodo(unit, id, condition);
      });
      return reply.code(204).send(null);
    },
  );

  app.get(
    "/orgs/:org/projects",
    { schema: { summary: "Projects", tags, params: OrgParams, response: { 200: ProjectList } } },
    async (request) => {
      const { org } = colleagueOf(request);
      const projects = await appReader.projectList(org.id);
      const open = await appReader.openCounts(org.id);
      return {
        data: projects.map((project) => ({ project: projectView(project), open: open.get(project.id) ?? 0 })),
      };
    },
  );
  app.post(
    "/orgs/:org/projects",
    {
      schema: {
        summary: "Create a project",
        tags,
        params: OrgParams,
        body: NewProject,
        response: { 201: ProjectReply },
        "x-problems": [409, 429],
      },
    },
    async (request, reply) => {
      const { org, actor, member } = colleagueOf(request);
      await countProject(member.id);
      const project = await desk.change(org.id, actor, (unit) => createProject(unit, request.body.name));
      return reply.code(201).send(projectView(project));
    },
  );
  app.patch(
    "/orgs/:org/projects/:id",
    {
      schema: {
        summary: "Rename a project, archive it or take it out of the archive",
        tags,
        params: IdParams,
        body: ProjectChange,
        response: { 200: ProjectReply },
        "x-problems": [409],
      },
    },
    async (request) => {
      const { org, actor } = colleagueOf(request);
      const { id } = request.params;
      const { name, archived } = request.body;
      return desk.change(org.id, actor, async (unit) => {
        await demandProjectHere(unit, id);
        if (name !== undefined) await renameProject(unit, id, name);
        if (archived !== undefined) await archiveProject(unit, id, archived);
        return projectView(await demandProjectHere(unit, id));
      });
    },
  );
};
