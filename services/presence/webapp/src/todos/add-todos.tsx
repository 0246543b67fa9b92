import { count, putLive, sentenceOf, tellDone, tellFailure } from "@frontdesk/ui";
import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type ClipboardEvent, useState } from "react";
import { call, questions } from "../api.ts";
import { type TodoFilter, todosAfter } from "../board-events.ts";
import { useOrg } from "../org.ts";
import { queryClient } from "../session.ts";
import type { Todo } from "../shapes.ts";
import { t } from "../words/todos.ts";
import { type NewTodo, parseLines, parseTodo } from "./parse-todos.ts";

const MAX_TEXT = 2_000;
/** As many as the server takes in one request. */
const MAX_AT_ONCE = 100;

/** Shows what the server answered before the stream tells of it. */
export function showTodo(org: string, todo: Todo): void {
  putLive<readonly Todo[]>(queryClient, ["todos", org], (todos, [, , filter]) =>
    todosAfter(todos, filter as TodoFilter, todo),
  );
}

/** One line that adds: Enter keeps adding, pasted lines become one TODO each. */
export function AddTodos({ autoFocus = false }: { autoFocus?: boolean }) {
  const { org } = useOrg();
  const { data: projects = [] } = useQuery(questions.projects(org));
  const known = projects.map(({ project }) => project);
  const [text, setText] = useState("");
  const { mutate, error } = useMutation({
    mutationFn: async (items: NewTodo[]) => {
      const data: Todo[] = [];
      for (let from = 0; from < items.length; from += MAX_AT_ONCE) {
        const json = { items: items.slice(from, from + MAX_AT_ONCE) };
        const reply = await call("POST /orgs/{org}/todos", { path: { org }, json });
        for (const todo of reply.data) showTodo(org, todo);
        data.push(...reply.data);
      }
      return data;
    },
    onSuccess: (data) => {
      if (data.length > 1) tellDone(count(data.length, t.added));
    },
    onError: (failure, items) => {
      // What could not be added is there to be tried again, unless something else was typed meanwhile.
      setText((now) => now || items.map((item) => item.text).join(" "));
      tellFailure(failure);
    },
  });
  const { projectId } = parseTodo(text, known);
  const project = known.find(({ id }) => id === projectId);
  const add = () => {
    const items = parseLines(text, known);
    if (items.length === 0) return;
    mutate(items);
    setText("");
  };
  const onPaste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData("text/plain");
    const items = parseLines(pasted, known);
    if (items.length < 2) return;
    event.preventDefault();
    mutate(items);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <Stack gap={4}>
        <Group gap="sm" wrap="nowrap" align="flex-end">
          <TextInput
            flex={1}
            size="md"
            label={t.add}
            placeholder={t.addHint}
            dir="auto"
            maxLength={MAX_TEXT}
            autoComplete="off"
            autoFocus={autoFocus}
            data-autofocus={autoFocus || undefined}
            value={text}
            error={error ? sentenceOf(error) : undefined}
            onChange={(event) => setText(event.currentTarget.value)}
            onPaste={onPaste}
          />
          <Button type="submit" size="md" disabled={!text.trim()}>
            {t.addButton}
          </Button>
        </Group>
        <Text size="xs" c="dimmed" role="status">
          {project ? t.goesTo(project.name) : t.addAbout}
        </Text>
      </Stack>
    </form>
  );
}
