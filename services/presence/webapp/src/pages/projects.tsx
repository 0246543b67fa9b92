import {
  ActionForm,
  type Column,
  count,
  DataTable,
  EmptyState,
  emptied,
  Loaded,
  NotFoundPage,
  Page,
  Section,
  tellDone,
  useAction,
  useUrlState,
} from "@frontdesk/ui";
import { Anchor, Badge, Button, Checkbox, Group, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import { call, questions } from "../api.ts";
import { EditDialog, useEdited } from "../edit-dialog.tsx";
import { useOrg } from "../org.ts";
import { changed } from "../session.ts";
import type { Project, Reply, Todo } from "../shapes.ts";
import { EditableTodos } from "../todos/editable-todos.tsx";
import { OlderTodos, useOlder } from "../todos/older-todos.tsx";
import { hashOf } from "../todos/parse-todos.ts";
import { ShowMore, useDrawn } from "../todos/show-more.tsx";
import { TodoList } from "../todos/todo-list.tsx";
import { useTypedSince } from "../typed-since.ts";
import { t } from "../words/todos.ts";

type Row = Reply<"GET /orgs/{org}/projects">["data"][number];

export function ProjectsPage() {
  const { org } = useOrg();
  const projects = useQuery(questions.projects(org));
  const [show, setShow] = useUrlState("show");
  const renamed = useEdited(projects.data, ({ project }) => project.id);
  const columns: Column<Row>[] = [
    {
      title: t.name,
      cell: ({ project: { id, name, archived } }) => (
        <Group gap="xs">
          <Anchor component={Link} href={`/${org}/projects/${id}`} size="sm" fw={550} dir="auto">
            {name}
          </Anchor>
          {archived && (
            <Badge size="sm" color="gray">
              {t.archivedBadge}
            </Badge>
          )}
        </Group>
      ),
    },
    { title: t.open, cell: ({ open }) => count(open, t.openCount) },
    {
      title: t.actions,
      actions: true,
      cell: (row) => <Actions project={row.project} rename={() => renamed.edit(row)} />,
    },
  ];
  return (
    <Page title={t.projects} intro={t.projectsIntro}>
      <Section
        title={t.projects}
        actions={
          <Checkbox
            label={t.showArchivedProjects}
            checked={show === "all"}
            onChange={(event) => setShow(event.currentTarget.checked ? "all" : "")}
          />
        }
      >
        <Loaded query={projects}>
          {(rows) => (
            <DataTable
              caption={t.projects}
              columns={columns}
              rows={rows.filter(({ project }) => show === "all" || !project.archived)}
              rowKey={({ project }) => project.id}
              empty={<EmptyState title={t.noProjects}>{t.makeOne}</EmptyState>}
            />
          )}
        </Loaded>
      </Section>
      <NewProject />
      <EditDialog edited={renamed} title={({ project }) => t.renameNamed(project.name)}>
        {({ project: { id, name } }) => <Rename key={id} id={id} name={name} done={renamed.close} />}
      </EditDialog>
    </Page>
  );
}

function NewProject() {
  const { org } = useOrg();
  const [name, setName] = useState("");
  const make = async () => {
    const project = await call("POST /orgs/{org}/projects", { path: { org }, json: { name: name.trim() } });
    setName(emptied(name));
    await changed(questions.projects(org));
    tellDone(t.isMade(project.name));
  };
  return (
    <Section title={t.newProject}>
      <ActionForm action={t.make} onSubmit={make} disabled={!name.trim()}>
        {(problem) => (
          <TextInput
            label={t.name}
            dir="auto"
            maxLength={200}
            value={name}
            error={problem("name")}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        )}
      </ActionForm>
    </Section>
  );
}

function Actions(props: { project: Project; rename: () => void }) {
  const { id, name, archived } = props.project;
  const { org } = useOrg();
  const archive = useAction(
    () => call("PATCH /orgs/{org}/projects/{id}", { path: { org, id }, json: { archived: !archived } }),
    { changes: [questions.projects(org)], done: archived ? t.isBack : t.isArchived },
  );
  return (
    <Group gap="xs" wrap="nowrap">
      <Button size="xs" variant="default" aria-label={t.renameNamed(name)} onClick={props.rename}>
        {t.rename}
      </Button>
      <Button
        size="xs"
        variant="default"
        aria-label={archived ? t.unarchiveNamed(name) : t.archiveNamed(name)}
        {...archive}
      >
        {archived ? t.unarchive : t.archive}
      </Button>
    </Group>
  );
}

function Rename(props: { id: string; name: string; done: () => void }) {
  const { org } = useOrg();
  const [name, setName] = useState(props.name);
  const isTypedSince = useTypedSince({ name: name.trim() });
  const rename = async () => {
    await call("PATCH /orgs/{org}/projects/{id}", {
      path: { org, id: props.id },
      json: { name: name.trim() },
    });
    await changed(questions.projects(org));
    tellDone(t.saved);
    if (!isTypedSince()) props.done();
  };
  return (
    <ActionForm action={t.save} onSubmit={rename} disabled={!name.trim()}>
      {(problem) => (
        <TextInput
          label={t.name}
          dir="auto"
          maxLength={200}
          data-autofocus
          value={name}
          error={problem("name")}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      )}
    </ActionForm>
  );
}

/** What is to be done in a project, by whomever. */
export function ProjectPage({ id }: { id: string }) {
  const { org } = useOrg();
  const projects = useQuery(questions.projects(org));
  const above = [{ name: t.projects, path: `/${org}/projects` }];
  const known = useMemo(() => projects.data?.map((row) => row.project) ?? [], [projects.data]);
  return (
    <Loaded query={projects}>
      {() => {
        const project = known.find((each) => each.id === id);
        if (!project) {
          return (
            <NotFoundPage home={{ name: t.toTheProjects, path: `/${org}/projects` }} what={t.noSuchProject} />
          );
        }
        return (
          <Page title={project.name} above={above}>
            <ProjectTodos project={project} projects={known} />
          </Page>
        );
      }}
    </Loaded>
  );
}

function ProjectTodos({ project, projects }: { project: Project; projects: readonly Project[] }) {
  const { org, board } = useOrg();
  const of = { project: project.id };
  const open = useQuery(questions.openTodos(org, of));
  const done = useOlder((most) => questions.doneTodos(org, of, most));
  const drawn = useDrawn(open.data?.todos.length ?? 0);
  const all = useMemo(
    () => open.data && done.query.data && [...open.data.todos, ...done.query.data.todos],
    [open.data, done.query.data],
  );
  const names = useMemo(() => new Map(board.members.map((each) => [each.id, each.name])), [board.members]);
  const list = { projects, inProject: true, who: ({ memberId }: Todo) => names.get(memberId) };
  return (
    <EditableTodos todos={all} projects={projects}>
      <Loaded query={open}>
        {({ todos, more }) =>
          todos.length > 0 && (
            <Section title={t.open} {...(more ? { about: count(todos.length, t.onlyTheFirst) } : {})}>
              <TodoList todos={todos.slice(0, drawn.most)} {...list} />
              <ShowMore drawn={drawn} />
            </Section>
          )
        }
      </Loaded>
      <Loaded query={done.query}>
        {({ todos }) =>
          todos.length > 0 && <OlderTodos title={t.done} total={t.doneCount} older={done} {...list} />
        }
      </Loaded>
      {all?.length === 0 && (
        <EmptyState title={t.nothingInIt} order={2}>
          {t.addWithHash(hashOf(project.name))}
        </EmptyState>
      )}
    </EditableTodos>
  );
}
