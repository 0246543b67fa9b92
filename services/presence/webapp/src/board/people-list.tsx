import { count, useNow } from "@frontdesk/ui";
import { Badge, Text, Title, UnstyledButton } from "@mantine/core";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, memo, useLayoutEffect, useRef, useState } from "react";
import { statusOf } from "../org.ts";
import type { Board, Member } from "../shapes.ts";
import { t } from "../words/board.ts";
import { timeLeft, untilWords } from "./end-words.ts";
import { Face } from "./face.tsx";
import type { Row } from "./find-people.ts";
import classes from "./people-list.module.css";
import { StatusLabel } from "./status-label.tsx";

/** Rows kept drawn beyond what is seen. */
const OVERSCAN = 8;
const ROW_PX = 61;
const GROUP_PX = 52;

/** People under one another; only those in sight are drawn, however many there are. */
export function PeopleList(props: { rows: readonly Row[]; board: Board; onOpen: (id: string) => void }) {
  const { rows, board, onOpen } = props;
  const list = useRef<HTMLUListElement>(null);
  const top = useTop(list);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (index) => (rows[index]?.kind === "group" ? GROUP_PX : ROW_PX),
    overscan: OVERSCAN,
    scrollMargin: top,
    getItemKey: (index) => keyOf(rows[index]),
  });
  const { measureElement } = virtualizer;
  return (
    <ul
      ref={list}
      className={classes.list}
      aria-label={t.people}
      style={{ height: virtualizer.getTotalSize() }}
    >
      {virtualizer.getVirtualItems().map(({ index, key, start }) => {
        const row = rows[index];
        const style = { transform: `translateY(${start - top}px)` };
        const place = { ref: measureElement, "data-index": index, style };
        if (!row) return null;
        return row.kind === "group" ? (
          <li key={key} {...place} className={classes.group}>
            <Title order={2} dir="auto">
              {row.name ?? t.noGroup}
            </Title>
            <Text size="sm" c="dimmed">
              {count(row.size, t.peopleCount)}
            </Text>
          </li>
        ) : (
          <PersonRow key={key} place={place} member={row.member} board={board} onOpen={onOpen} />
        );
      })}
    </ul>
  );
}

const keyOf = (row: Row | undefined) => (row?.kind === "person" ? row.member.id : `group ${row?.name ?? ""}`);

interface Place {
  readonly ref: (element: Element | null) => void;
  readonly "data-index": number;
  readonly style: CSSProperties;
}

function PersonRow(props: { place: Place; member: Member; board: Board; onOpen: (id: string) => void }) {
  const { place, member, board, onOpen } = props;
  return (
    <li {...place} className={classes.row}>
      <Person member={member} board={board} onOpen={onOpen} />
    </li>
  );
}

/** Drawn once for each state of a person: scrolling past costs nothing. */
const Person = memo(
  function Person({ member, board, onOpen }: { member: Member; board: Board; onOpen: (id: string) => void }) {
    const { id, name, group, status, avatarUrl } = member;
    return (
      <>
        <UnstyledButton className={classes.who} onClick={() => onOpen(id)} data-person={id}>
          <Face src={avatarUrl} name={name} size={40} />
          <span className={classes.names}>
            <Text component="span" display="block" size="sm" fw={600} dir="auto" truncate="end">
              {name} {id === board.me.id && <Badge size="xs">{t.you}</Badge>}
            </Text>
            {group !== null && (
              <Text component="span" display="block" size="xs" c="dimmed" dir="auto" truncate="end">
                {group}
              </Text>
            )}
          </span>
        </UnstyledButton>
        <Text size="sm" component="div" className={classes.status}>
          <StatusLabel status={statusOf(board.statuses, status.status)} />
          <SetBy member={member} board={board} />
        </Text>
        <Text size="sm" dir="auto" className={classes.note}>
          {status.note}
        </Text>
        <div className={classes.end}>{status.expiresAt !== null && <End at={status.expiresAt} />}</div>
      </>
    );
  },
  (before, after) =>
    before.member === after.member &&
    before.onOpen === after.onOpen &&
    before.board.statuses === after.board.statuses,
);

function SetBy({ member, board }: { member: Member; board: Board }) {
  const { setBy, source } = member.status;
  const other = setBy === null ? undefined : board.members.find(({ id }) => id === setBy)?.name;
  const name = other ?? (source.startsWith("integration:") ? source.slice("integration:".length) : undefined);
  if (name === undefined) return null;
  return (
    <Text size="xs" c="dimmed" truncate="end">
      <bdi>{t.setBy(name)}</bdi>
    </Text>
  );
}

/** When a status ends, and how long that is by the minute. Changes by itself and is never read out by itself. */
export function End({ at }: { at: string }) {
  const now = useNow();
  const left = timeLeft(at, now);
  return (
    <>
      <Text size="sm" component="div">
        <time dateTime={at}>{untilWords(at, now)}</time>
      </Text>
      {left && (
        <Text size="xs" c="dimmed">
          {left}
        </Text>
      )}
    </>
  );
}

/** How far below the top of the document the list begins. */
function useTop(element: { readonly current: HTMLElement | null }): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    if (!element.current) return;
    const now = element.current.getBoundingClientRect().top + window.scrollY;
    if (Math.abs(now - top) > 1) setTop(now);
  });
  return top;
}
