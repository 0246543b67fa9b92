import { connection, pagesVersion, putLive } from "@frontdesk/ui";
import { useEffect, useRef, useState } from "react";
import { BASE, questions } from "./api.ts";
import { type BoardEvent, boardAfter, isMineByOthers } from "./board-events.ts";
import { browserStream } from "./browser-stream.ts";
import { eachFrame } from "./each-frame.ts";
import { createLiveQuestions } from "./live-questions.ts";
import { pagesOf } from "./reload-when-ready.ts";
import { changed, queryClient } from "./session.ts";
import type { Board } from "./shapes.ts";
import { openSharedStream } from "./shared-stream.ts";
import { withdrawOfferAfter } from "./status-offers.ts";
import { goneTodos } from "./todos/gone-todos.ts";
import { putTodoEvent } from "./todos/put-todo.ts";

const KINDS = [
  "hello",
  "status",
  "member",
  "left",
  "todo",
  "todo-gone",
  "project",
  "revised",
  "changed",
  "reset",
] as const satisfies ReadonlyArray<BoardEvent["kind"]>;

export interface Upgrade {
  /** The pages that were loaded; undefined before the stream has said which they are. */
  readonly loaded: string | undefined;
  /** The server has others meanwhile. */
  readonly isUpgraded: boolean;
}

export interface LiveNews {
  readonly onEvent: (event: BoardEvent, before: Board | undefined) => void;
  /** The server gave a sign of life: the board is right. */
  readonly onHeard: () => void;
}

/** Keeps what is shown of an organisation as the server has it; answers whether the pages were upgraded meanwhile. */
export function useLiveBoard(org: string, board: Board | undefined, { onEvent, onHeard }: LiveNews): Upgrade {
  const [upgrade, setUpgrade] = useState<Upgrade>({ loaded: undefined, isUpgraded: false });
  const latest = useRef({ onEvent, onHeard, board });
  latest.current = { onEvent, onHeard, board };
  const me = board?.me.id;
  useEffect(() => {
    const { board: first } = latest.current;
    if (me === undefined || !first) return;
    const ask = createLiveQuestions(queryClient, org);
    const hear = (events: readonly BoardEvent[]) => {
      let before = queryClient.getQueryData<Board>(["board", org]);
      const isNews = (revision: string) => revision !== before?.revision;
      const changes: BoardEvent[] = [];
      for (const event of events) {
        if (event.kind === "hello") {
          if (isNews(event.data.revision)) ask.all.soon();
          const pages = pagesOf(event.data.version);
          setUpgrade(({ loaded = pagesVersion() ?? pages }) => ({ loaded, isUpgraded: loaded !== pages }));
          continue;
        }
        latest.current.onEvent(event, before);
        if (event.kind === "status") {
          withdrawOfferAfter(event.data.memberId, event.data.status);
          if (event.data.memberId === me) ask.planned.soon();
        }
        if (before && event.kind === "status" && event.data.status.source === "app")
          if (isMineByOthers(before, event)) ask.undo.soon();
        if (event.kind === "revised" && isNews(event.data.before) && isNews(event.data.revision))
          ask.all.soon();
        else if (event.kind === "reset" || (event.kind === "changed" && isNews(event.data.revision)))
          ask.all.soon();
        else {
          before = before && boardAfter(before, event);
          changes.push(event);
          // How many are open in each, only the server knows.
          if (["project", "todo", "todo-gone", "left"].includes(event.kind)) ask.projects.soon();
        }
      }
      if (changes.length > 0) put(org, changes);
    };
    const frames = eachFrame(hear);
    const line = connection.line();
    const close = openSharedStream(
      {
        name: `presence ${org} ${me}`,
        url: (after) => `${BASE}/orgs/${encodeURIComponent(org)}/stream?after=${after}`,
        kinds: KINDS,
        after: first.sequence,
        onEvent: (told) => frames.add(told as BoardEvent),
        onHeard: () => latest.current.onHeard(),
        onState: (state, heardAt) => (state === "open" ? line.opened() : line.lost(heardAt)),
        onRefused: () => void changed(questions.me),
        onMissed: ask.all.soon,
      },
      browserStream,
    );
    // A page that a browser had put away whole heard nothing meanwhile.
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && ask.all.soon();
    window.addEventListener("pageshow", onShow);
    return () => {
      window.removeEventListener("pageshow", onShow);
      frames.end();
      ask.stop();
      close();
      line.ended();
    };
  }, [org, me]);
  return upgrade;
}

function put(org: string, events: readonly BoardEvent[]): void {
  putLive<Board>(queryClient, ["board", org], (board) => events.reduce(boardAfter, board));
  for (const event of events) {
    goneTodos.hear(event);
    putTodoEvent(queryClient, org, event);
  }
}
