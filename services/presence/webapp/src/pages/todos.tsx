import {
  EmptyState,
  Loaded,
  LoadingState,
  lazyPage,
  Page,
  Section,
  tellFailure,
  useUrlState,
} from "@frontdesk/ui";
import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useMemo } from "react";
import { call, questions } from "../api.ts";
import { useOrg } from "../org.ts";
import type { Project, Todo } from "../shapes.ts";
import { AddTodos, showTodo } from "../todos/add-todos.tsx";
import { EditableTodos } from "../todos/editable-todos.tsx";
import { OlderTodos, useOlder } from "../todos/older-todos.tsx";
import { MAX_DRAWN, ShowMore, useDrawn } from "../todos/show-more.tsx";
import { t } from "../words/todos.ts";

const Reorder = lazyPage(() => import("../todos/reorder-todos.tsx").then((part) => part.ReorderTodos));

export function TodosPage() {
  const { org } = useOrg();
  const [show, setShow] = useUrlState("show", "current");
  const { data: rows } = useQuery(questions.projects(org));
  const projects = useMemo(() => rows?.map(({ project }) => project) ?? [], [rows]);
  return (
    <Page
      title={t.todos}
      intro={t.intro}
      actions={
        <SegmentedControl
          aria-label={t.show}
          data={[
            { value: "current", label: t.showOpen },
            { value: "archived", label: t.showArchived },
          ]}
          value={show}
          onChange={setShow}
        />
      }
    >
      {show === "archived" ? <Archived projects={projects} /> : <Current projects={projects} />}
    </Page>
  );
}

function Current({ projects }: { projects: readonly Project[] }) {
  const { org, board } = useOrg();
  const of = { member: board.me.id };
  const open = useQuery(questions.openTodos(org, of));
  const done = useOlder((most) => questions.doneTodos(org, of, most));
  const all = useMemo(
    () => open.data && done.query.data && [...open.data.todos, ...done.query.data.todos],
    [open.data, done.query.data],
  );
  return (
    <>
      <AddTodos tellsEach={(open.data?.todos.length ?? 0) >= MAX_DRAWN} />
      <EditableTodos todos={all} projects={projects}>
        <Loaded query={open}>{({ todos }) => <Open todos={todos} projects={projects} />}</Loaded>
        <Loaded query={done.query}>
          {({ todos }) =>
            todos.length > 0 && (
              <OlderTodos title={t.done} total={t.doneCount} older={done} projects={projects} />
            )
          }
        </Loaded>
      </EditableTodos>
    </>
  );
}

function Open({ todos, projects }: { todos: readonly Todo[]; projects: readonly Project[] }) {
  const { org } = useOrg();
  const drawn = useDrawn(todos.length);
  const move = async (id: string, after: string | null) => {
    try {
      showTodo(org, await call("POST /orgs/{org}/todos/{id}/move", { path: { org, id }, json: { after } }));
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <Section title={t.open}>
      {todos.length === 0 ? (
        <EmptyState title={t.nothingOpen}>{t.addOneAbove}</EmptyState>
      ) : (
        <Suspense fallback={<LoadingState />}>
          <Reorder todos={todos} projects={projects} most={drawn.most} onMove={move} />
          <ShowMore drawn={drawn} />
        </Suspense>
      )}
    </Section>
  );
}

function Archived({ projects }: { projects: readonly Project[] }) {
  const { org, board } = useOrg();
  const archived = useOlder((most) => questions.archivedTodos(org, { member: board.me.id }, most));
  return (
    <EditableTodos todos={archived.query.data?.todos} projects={projects}>
      <Loaded query={archived.query}>
        {({ todos }) =>
          todos.length > 0 ? (
            <OlderTodos title={t.archived} total={t.archivedCount} older={archived} projects={projects} />
          ) : (
            <Section title={t.archived}>
              <EmptyState title={t.nothingArchived} />
            </Section>
          )
        }
      </Loaded>
    </EditableTodos>
  );
}
