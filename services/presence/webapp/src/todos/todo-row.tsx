import { useAction } from "@frontdesk/ui";
import { ActionIcon, Anchor, Badge, Checkbox, Group, Menu, Text } from "@mantine/core";
import { DotsHorizontalIcon, ExternalLinkIcon } from "@radix-ui/react-icons";
import { memo } from "react";
import { Link } from "wouter";
import { useSlug } from "../org.ts";
import type { Project, Todo } from "../shapes.ts";
import { t } from "../words/todos.ts";
import { useEdit } from "./editable-todos.tsx";
import classes from "./todo-row.module.css";
import { useTodo } from "./use-todo.ts";

/** A TODO: ticked, read, followed to where it came from, and changed by its menu. Of many, only the changed are drawn anew. */
export const TodoRow = memo(function TodoRow(props: {
  todo: Todo;
  projects: readonly Project[];
  /** Its project is not named: the page is that project's. */
  inProject?: boolean;
  who?: string | undefined;
}) {
  const { todo, projects, inProject = false, who } = props;
  const org = useSlug();
  const { tick, archive, unarchive, remove } = useTodo(todo);
  const edit = useEdit();
  const removing = useAction(remove, {
    ask: { title: t.askToDelete, body: t.itIsGone, action: t.delete, danger: true },
  });
  const project = inProject ? undefined : projects.find(({ id }) => id === todo.projectId);
  return (
    <div className={classes.row} data-done={todo.done || undefined}>
      <Checkbox
        className={classes.tick ?? ""}
        aria-label={t.tick(todo.text)}
        checked={todo.done}
        disabled={todo.archived}
        onChange={(event) => void tick(event.currentTarget.checked)}
      />
      <div className={classes.words}>
        <Text size="sm" dir="auto" className={classes.text}>
          {todo.text}
        </Text>
        {(project || who || todo.externalUrl) && (
          <Group gap="xs" mt={4}>
            {who && (
              <Text size="xs" c="dimmed" dir="auto">
                {who}
              </Text>
            )}
            {project && (
              <Badge
                component={Link}
                href={`/${org}/projects/${project.id}`}
                size="sm"
                style={{ cursor: "pointer" }}
              >
                <bdi>{project.name}</bdi>
              </Badge>
            )}
            {todo.externalUrl && (
              <Anchor href={todo.externalUrl} target="_blank" rel="noreferrer noopener" size="xs">
                <bdi>{todo.externalSystem ? t.openIn(todo.externalSystem) : t.openLink}</bdi>{" "}
                <ExternalLinkIcon aria-hidden />
              </Anchor>
            )}
          </Group>
        )}
      </div>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t.actionsOf(todo.text)}>
            <DotsHorizontalIcon aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!todo.archived && <Menu.Item onClick={() => edit(todo)}>{t.edit}</Menu.Item>}
          <Menu.Item onClick={() => void (todo.archived ? unarchive() : archive())}>
            {todo.archived ? t.unarchive : t.archive}
          </Menu.Item>
          <Menu.Item color="red" onClick={removing.onClick}>
            {t.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  );
});
