import {
  count,
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
import { Suspense } from "react";
import { call, questions } from "../api.ts";
import { useOrg } from "../org.ts";
import type { Project, Todo } from "../shapes.ts";
import { AddTodos, showTodo } from "../todos/add-todos.tsx";
import { EditableTodos } from "../todos/editable-todos.tsx";
import classes from "../todos/todo-row.module.css";
import { TodoRow } from "../todos/todo-row.tsx";
import { t } from "../words/todos.ts";

const Reorder = lazyPage(() => import("../todos/reorder-todos.tsx").then((part) => part.ReorderTodos));

export function TodosPage() {
  const { org, board } = useOrg();
  const [show, setShow] = useUrlState("show", "current");
  const archived = show === "archived";
  const todos = useQuery(questions.todos(org, { member: board.me.id, archived }));
  const { data: projects = [] } = useQuery(questions.projects(org));
  const known = projects.map(({ project }) => project);
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
      {!archived && <AddTodos />}
      <EditableTodos todos={todos.data} projects={known}>
        <Loaded query={todos}>
          {(all) =>
            archived ? <Archived todos={all} projects={known} /> : <Current todos={all} projects={known} />
          }
        </Loaded>
      </EditableTodos>
    </Page>
  );
}

function Current({ todos, projects }: { todos: readonly Todo[]; projects: readonly Project[] }) {
  const { org } = useOrg();
  const open = todos.filter(({ done }) => !done);
  const done = todos.filter((todo) => todo.done);
  const move = async (id: string, after: string | null) => {
    try {
      showTodo(org, await call("POST /orgs/{org}/todos/{id}/move", { path: { org, id }, json: { after } }));
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <>
      <Section title={t.open}>
        {open.length === 0 ? (
          <EmptyState title={t.nothingOpen}>{t.addOneAbove}</EmptyState>
        ) : (
          <Suspense fallback={<LoadingState />}>
            <Reorder todos={open} projects={projects} onMove={move} />
          </Suspense>
        )}
      </Section>
      {done.length > 0 && (
        <Section title={t.done} about={count(done.length, t.doneCount)}>
          <TodoList todos={done} projects={projects} />
        </Section>
      )}
    </>
  );
}

function Archived({ todos, projects }: { todos: readonly Todo[]; projects: readonly Project[] }) {
  return (
    <Section title={t.archived}>
      {todos.length === 0 ? (
        <EmptyState title={t.nothingArchived} />
      ) : (
        <TodoList todos={todos} projects={projects} />
      )}
    </Section>
  );
}

/** TODOs in an order that is not set here. */
export function TodoList(props: {
  todos: readonly Todo[];
  projects: readonly Project[];
  /** All of them are in the project whose page it is: it is not named on each. */
  inProject?: boolean;
  who?: (todo: Todo) => string | undefined;
}) {
  const { todos, projects, inProject = false, who } = props;
  return (
    <ul className={classes.list}>
      {todos.map((todo) => (
        <li key={todo.id} className={classes.item}>
          <TodoRow todo={todo} projects={projects} inProject={inProject} who={who?.(todo)} />
        </li>
      ))}
    </ul>
  );
}
