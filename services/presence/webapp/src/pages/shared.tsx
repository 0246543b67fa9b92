import {
  Brand,
  ColorSchemeSwitch,
  ConnectionBanner,
  ErrorState,
  LoadingState,
  SignInFrame,
  useNow,
  WallScreen,
} from "@frontdesk/ui";
import { Center, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { memo, useEffect, useMemo } from "react";
import { call, questions } from "../api.ts";
import { untilWords } from "../board/end-words.ts";
import { Face } from "../board/face.tsx";
import { StatusLabel } from "../board/status-label.tsx";
import { WallTiles } from "../board/wall-tiles.tsx";
import { useGrowing } from "../growing.ts";
import { useLiveShared } from "../live-shared.ts";
import { statusOf } from "../org.ts";
import { isRefusal } from "../refusal.ts";
import type { Shared, Status } from "../shapes.ts";
import { peopleOf, type SharedMember } from "../shared-events.ts";
import { t as board } from "../words/board.ts";
import { t } from "../words/share.ts";
import classes from "./shared.module.css";

/** What a share link opens: for whoever has it, without a session. */
export function SharedPage({ token }: { token: string }) {
  const shared = useQuery(questions.shared(token));
  useLiveShared(token, shared.data);
  const isThere = shared.data !== undefined;
  // Told by the page and not by the answer: whoever only previews the link has not opened it.
  useEffect(() => {
    if (isThere) void call("POST /shared/{token}/access", { path: { token } }).catch(() => {});
  }, [isThere, token]);
  if (isRefusal(shared.error)) {
    return (
      <SignInFrame service={t.presence} title={t.theLinkDoesNotWork} about={t.itWasRevoked}>
        {null}
      </SignInFrame>
    );
  }
  if (!shared.data) {
    return (
      <Center mih="100vh" p="md" component="main">
        {shared.error ? (
          <ErrorState error={shared.error} retry={() => void shared.refetch()} />
        ) : (
          <LoadingState />
        )}
      </Center>
    );
  }
  return <SharedView shared={shared.data} />;
}

function SharedView({ shared }: { shared: Shared }) {
  const title = shared.kind === "project" ? (shared.project?.name ?? shared.name) : shared.org.name;
  useEffect(() => {
    document.title = title;
  }, [title]);
  if (shared.kind === "wall") {
    return (
      <WallScreen title={shared.org.name}>
        <WallTiles people={peopleOf(shared)} statuses={shared.statuses} />
      </WallScreen>
    );
  }
  return (
    <main className={classes.page}>
      <ConnectionBanner />
      <header className={classes.head}>
        <div>
          <Title order={1} dir="auto">
            {title}
          </Title>
          <Text size="sm" c="dimmed" dir="auto">
            {t.sharedBy(shared.org.name)}
          </Text>
        </div>
        <Brand service={t.presence} />
      </header>
      {shared.kind === "project" ? <SharedTodos shared={shared} /> : <People shared={shared} />}
      <Center mt="xl">
        <ColorSchemeSwitch />
      </Center>
    </main>
  );
}

function People({ shared }: { shared: Shared }) {
  const people = useMemo(() => peopleOf(shared), [shared]);
  const drawn = useGrowing(people.length);
  return (
    <ul className={classes.people} aria-label={board.people}>
      {people.slice(0, drawn).map(({ id, name, group, face, status, expiresAt }) => (
        <Person
          key={id}
          name={name}
          group={group}
          face={face}
          status={statusOf(shared.statuses, status)}
          expiresAt={expiresAt}
        />
      ))}
    </ul>
  );
}

interface PersonProps extends Pick<SharedMember, "name" | "group" | "face" | "expiresAt"> {
  readonly status: Status;
}

/** Drawn once for each state of a person, whatever the others do. */
const Person = memo(function Person({ name, group, face, status, expiresAt }: PersonProps) {
  return (
    <li className={classes.person}>
      <Face src={face} name={name} size={40} />
      <div className={classes.words}>
        <Text size="sm" fw={600} dir="auto" truncate="end">
          {name}
        </Text>
        <Text size="sm" component="div" truncate="end">
          <StatusLabel status={status} />
        </Text>
        <Text size="xs" c="dimmed" dir="auto" truncate="end">
          {group}
          {group !== null && expiresAt !== null && " · "}
          {expiresAt !== null && <Until end={expiresAt} />}
        </Text>
      </div>
    </li>
  );
});

const Until = ({ end }: { end: string }) => untilWords(end, useNow());

function SharedTodos({ shared }: { shared: Shared }) {
  const nameOf = useMemo(() => new Map(shared.members.map(({ id, name }) => [id, name])), [shared.members]);
  const todos = useMemo(
    () =>
      shared.todos.toSorted(
        (one, other) => Number(one.done) - Number(other.done) || one.position - other.position,
      ),
    [shared.todos],
  );
  const drawn = useGrowing(todos.length);
  if (todos.length === 0) return <Text c="dimmed">{t.nothing}</Text>;
  return (
    <ul
      className={classes.people}
      style={{ gridTemplateColumns: "1fr" }}
      aria-label={shared.project?.name ?? ""}
    >
      {todos.slice(0, drawn).map(({ id, text, done, member }) => (
        <li key={id} className={classes.todo} data-done={done || undefined}>
          <div className={classes.words}>
            <Text size="sm" dir="auto">
              {done && <span className="fd-unseen">{t.done}: </span>}
              {text}
            </Text>
            <Text size="xs" c="dimmed" dir="auto">
              {member !== null && nameOf.get(member)}
            </Text>
          </div>
        </li>
      ))}
    </ul>
  );
}
