import { count, sentenceOf, tellDone, tellFailure, useUnsaved, wholeNumber } from "@frontdesk/ui";
import { draftOwner } from "@frontdesk/ui/drafts";
import { whenLeft } from "@frontdesk/ui/when-left";
import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ClipboardEvent, useState } from "react";
import { call, questions } from "../api.ts";
import { useOrg } from "../org.ts";
import { queryClient } from "../session.ts";
import type { Todo } from "../shapes.ts";
import { t } from "../words/todos.ts";
import { type AddLane, createAddLane } from "./add-lane.ts";
import { type Added, addLines, type Line, linesOf, MAX_TEXT } from "./adding.ts";
import { goneTodos } from "./gone-todos.ts";
import { beginLines, NotAdded, useSending } from "./not-added.tsx";
import { parseTodo, pastedLines, sharedNameIn } from "./parse-todos.ts";
import { putTodo } from "./put-todo.ts";

/** Shows what the server answered before the stream tells of it. */
export function showTodo(org: string, todo: Todo): void {
  if (!goneTodos.has(todo)) putTodo(queryClient, org, todo);
}

/** Whoever types faster than the server answers means the project all the same. */
async function parserOf(org: string, lines: readonly Line[]) {
  const isNamed = lines.some((line) => line.text.includes("#"));
  const projects = isNamed ? await queryClient.ensureQueryData(questions.projects(org)) : [];
  const known = projects.map(({ project }) => project);
  return (line: string) => parseTodo(line, known);
}

const addIn = (org: string, lines: readonly Line[]): Promise<Added> =>
  addLines(
    lines,
    () => parserOf(org, lines),
    async (items) => {
      const { data } = await call("POST /orgs/{org}/todos", { path: { org }, json: { items } });
      for (const todo of data) showTodo(org, todo);
    },
  );

const noneOf = (lines: readonly Line[], failure: Error): Added => ({
  count: 0,
  left: lines.map((line) => ({ line, failure })),
});

/** For each person and organisation one. */
const lanes = new Map<string, AddLane>();
// What somebody began is answered to nobody once they have left: whoever comes again does not wait for it.
whenLeft(() => lanes.clear());

function addInTurn(org: string, lines: readonly Line[]): Promise<Added> {
  const owner = draftOwner();
  const key = `${owner} ${org}`;
  const lane =
    lanes.get(key) ??
    createAddLane(async (all) =>
      // Who has signed out meanwhile adds nothing in the name of who signs in.
      draftOwner() === owner ? addIn(org, all) : noneOf(all, new Error(t.signedOut)),
    );
  lanes.set(key, lane);
  return lane(lines);
}

/** One line that adds: Enter keeps adding, pasted lines become one TODO each. */
export function AddTodos(props: {
  inDialog?: boolean;
  /** What is added goes to the end of a list that is not in sight: that it was is said, also of one. */
  tellsEach?: boolean;
}) {
  const { inDialog = false, tellsEach = false } = props;
  const { org } = useOrg();
  const { data: projects = [] } = useQuery(questions.projects(org));
  const known = projects.map(({ project }) => project);
  // Kept when the dialog is closed, or the page: it was not sent yet.
  const { value: text, set: setText } = useUnsaved(
    `presence ${org} ${inDialog ? "next" : "new"} todo`,
    { value: "", version: "" },
    { asksOnLeaving: false },
  );
  const sending = useSending(org);
  const [problem, setProblem] = useState<string>();
  const add = async (lines: readonly Line[]) => {
    setProblem(undefined);
    const settle = beginLines(org, lines);
    const added = await addInTurn(org, lines);
    if (added.count > (tellsEach ? 0 : 1)) tellDone(count(added.count, t.added));
    settle(added.left.map(({ line }) => line));
    const [first] = added.left;
    if (!first) return;
    const failure = first.failure ?? new Error(t.tooLong);
    setProblem(sentenceOf(failure));
    tellFailure(failure);
  };
  const { projectId } = parseTodo(text, known);
  const project = known.find(({ id }) => id === projectId);
  const several = project ? undefined : sharedNameIn(text, known);
  const onPaste = (event: ClipboardEvent) => {
    const lines = pastedLines(event.clipboardData.getData("text/plain"));
    if (lines.length < 2) return;
    event.preventDefault();
    void add(linesOf(lines));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!text.trim()) return;
        setText("");
        void add(linesOf([text.trim()]));
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
            data-autofocus={inDialog || undefined}
            value={text}
            error={problem}
            onChange={(event) => setText(event.currentTarget.value)}
            onPaste={onPaste}
          />
          <Button type="submit" size="md" disabled={!text.trim()}>
            {t.addButton}
          </Button>
        </Group>
        <Text size="xs" c="dimmed" role="status" dir="auto" lineClamp={2}>
          {addingWords(sending) ??
            (project ? t.goesTo(project.name) : several ? t.severalAreCalled(several) : t.addAbout)}
        </Text>
        <NotAdded org={org} onTryAgain={add} />
      </Stack>
    </form>
  );
}

/** What is on its way: on a slow network it would seem to have vanished. */
function addingWords([first, ...others]: readonly Line[]): string | undefined {
  if (!first) return undefined;
  return others.length === 0 ? t.adding(first.text) : t.addingSeveral(wholeNumber(others.length + 1));
}
