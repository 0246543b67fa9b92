import { busyProps, count, type PluralForms, Section } from "@frontdesk/ui";
import { Button } from "@mantine/core";
import { type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { type ComponentProps, useState } from "react";
import { t } from "../words/todos.ts";
import { TodoList } from "./todo-list.tsx";
import type { Todos } from "./todo-lists.ts";

/** So many of what is past are shown, and twice as many whenever older ones are asked for. */
const FIRST = 50;

/** TODOs that pile up: the newest, and older ones when they are asked for. */
export function useOlder<Key extends readonly unknown[]>(
  question: (most: number) => UseQueryOptions<Todos, Error, Todos, Key>,
) {
  const [most, setMost] = useState(FIRST);
  const query = useQuery(question(most));
  return { query, showOlder: () => setMost((before) => before * 2) };
}

export function OlderTodos(
  props: Omit<ComponentProps<typeof TodoList>, "todos"> & {
    title: string;
    /** How many there are, where all are shown. */
    total: PluralForms;
    older: ReturnType<typeof useOlder>;
  },
) {
  const { title, total, older, ...list } = props;
  const { data: { todos, more } = { todos: [], more: false }, isPlaceholderData } = older.query;
  return (
    <Section title={title} about={count(todos.length, more ? t.newest : total)}>
      <TodoList todos={todos} {...list} />
      {more && (
        <div>
          <Button
            variant="default"
            size="xs"
            {...busyProps(isPlaceholderData)}
            onClick={() => isPlaceholderData || older.showOlder()}
          >
            {t.showOlder}
          </Button>
        </div>
      )}
    </Section>
  );
}
