import type { FastifyReply } from "fastify";
import { Type } from "typebox";
import { findMember } from "../domain/member.ts";
import type { TodoRecord } from "../domain/records.ts";
import { Todo } from "../domain/resources.ts";
import { completeTodo, createTodo, deleteTodo, todoView, updateTodo } from "../domain/todo.ts";
import { etagOf } from "../domain/todo-condition.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { visitorOf } from "./gate.ts";
import { conditionOf, requiredConditionOf } from "./if-match.ts";
import { ADDRESSES, addressOf } from "./member-address.ts";
import { IfMatch, TodoBody, TodoParams, TodoPatchBody, TodoQuery, TodoRefParams } from "./requests.ts";
import { DEFAULT_LIMIT, type Routes } from "./routes.ts";
import { pageOf, ref } from "./schema-reference.ts";

const common = { tags: ["todos"] };

export function todoRoutes({ app, desk, reader }: Routes): void {
  const answer = (reply: FastifyReply, todo: TodoRecord) => {
    reply.header("etag", etagOf(todo));
    return todoView(todo);
  };

  for (const { path, params, suffix, how } of ADDRESSES) {
    app.get(
      `${path}/todos`,
      {
        config: { needs: [["todos:read"]] },
        schema: {
          ...common,
          operationId: `listTodos${suffix}`,
          summary: `A member's TODOs in their order, ${how}`,
          params,
          querystring: TodoQuery,
          response: { 200: pageOf(Todo) },
          "x-problems": [],
        },
      },
      async (request) => {
        const { holder, integration } = visitorOf(request);
        const member = await reader.member(holder.org.id, integration.id, addressOf(request.params));
        const { cursor, limit = DEFAULT_LIMIT, ...filter } = request.query;
        const after = cursor === undefined ? undefined : decodeCursor(cursor, ["number", "string"]);
        const { items, more } = await reader.todos(member.id, filter, after, limit);
        const last = items.at(-1);
        return {
          data: items.map(todoView),
          nextCursor: more && last ? encodeCursor([last.position, last.id]) : null,
        };
      },
    );

    app.post(
      `${path}/todos`,
      {
        config: { needs: [["todos:write"]] },
        schema: {
          ...common,
          operationId: `createTodo${suffix}`,
          summary: `Create a TODO, ${how}`,
          description:
            "Repeating a request with the same externalSystem and externalRef answers 200 with the stored TODO and `Idempotent-Replayed: true`; `Idempotent-Differs` names what differs.",
          params,
          body: TodoBody,
          response: { 200: ref(Todo), 201: ref(Todo) },
          "x-problems": [],
        },
      },
      async (request, reply) => {
        const visitor = visitorOf(request);
        const { org } = visitor.holder;
        const { todo, replayed, differs } = await desk.change(org.id, visitor.actor, async (unit) => {
          const member = await findMember(unit, addressOf(request.params));
          return createTodo(unit, member, request.body as TodoBody);
        });
        if (replayed) reply.header("idempotent-replayed", "true");
        if (differs.length > 0) reply.header("idempotent-differs", differs.join(", "));
        if (!replayed)
          reply.code(201).header("location", `/api/v1/external/orgs/${org.slug}/todos/${todo.id}`);
        return answer(reply, todo);
      },
    );
  }

  app.get(
    "/todos/by-external-ref/:system/:ref",
    {
      config: { needs: [["todos:read"]] },
      schema: {
        ...common,
        operationId: "findTodo",
        summary: "Find a TODO that the caller created",
        params: TodoRefParams,
        response: { 200: ref(Todo) },
        "x-problems": [],
      },
    },
    async (request, reply) => {
      const { holder, integration } = visitorOf(request);
      const { system, ref: external } = request.params;
      return answer(reply, await reader.todoByRef(holder.org.id, integration.id, system, external));
    },
  );

  app.get(
    "/todos/:id",
    {
      config: { needs: [["todos:read"]] },
      schema: {
        ...common,
        operationId: "getTodo",
        summary: "A TODO with its ETag",
        params: TodoParams,
        response: { 200: ref(Todo) },
        "x-problems": [],
      },
    },
    async (request, reply) =>
      answer(reply, await reader.todo(visitorOf(request).holder.org.id, request.params.id)),
  );

  app.patch(
    "/todos/:id",
    {
      config: { needs: [["todos:write"]] },
      schema: {
        ...common,
        operationId: "updateTodo",
        summary: "Update a TODO",
        description: "Needs If-Match: no update is lost. The body is a merge patch.",
        consumes: ["application/json", "application/merge-patch+json"],
        params: TodoParams,
        headers: IfMatch,
        body: TodoPatchBody,
        response: { 200: ref(Todo) },
        "x-problems": [412, 428],
      },
    },
    async (request, reply) => {
      const condition = requiredConditionOf(request.headers["if-match"]);
      const { holder, actor } = visitorOf(request);
      const todo = await desk.change(holder.org.id, actor, (unit) =>
        updateTodo(unit, request.params.id, request.body, condition),
      );
      return answer(reply, todo);
    },
  );

  for (const [verb, done] of [
    ["complete", true],
    ["uncomplete", false],
  ] as const) {
    app.post(
      `/todos/:id/${verb}`,
      {
        config: { needs: [["todos:write"]] },
        schema: {
          ...common,
          operationId: `${verb}Todo`,
          summary: done ? "Mark a TODO done" : "Mark a TODO not done",
          params: TodoParams,
          headers: IfMatch,
          response: { 200: ref(Todo) },
          "x-problems": [412],
        },
      },
      async (request, reply) => {
        const condition = conditionOf(request.headers["if-match"]);
        const { holder, actor } = visitorOf(request);
        const { id } = request.params;
        const todo = await desk.change(holder.org.id, actor, (unit) =>
          completeTodo(unit, id, done, condition),
        );
        return answer(reply, todo);
      },
    );
  }

  app.delete(
    "/todos/:id",
    {
      config: { needs: [["todos:write"]] },
      schema: {
        ...common,
        operationId: "deleteTodo",
        summary: "Delete a TODO",
        params: TodoParams,
        headers: IfMatch,
        response: { 204: Type.Null({ description: "Deleted" }) },
        "x-problems": [412],
      },
    },
    async (request, reply) => {
      const condition = conditionOf(request.headers["if-match"]);
      const { holder, actor } = visitorOf(request);
      await desk.change(holder.org.id, actor, (unit) => deleteTodo(unit, request.params.id, condition));
      return reply.code(204).send(null);
    },
  );
}
