import { connection, pagesVersion, putLive } from "@frontdesk/ui";
import { useEffect, useRef, useState } from "react";
import { BASE, questions } from "./api.ts";
import { type BoardEvent, boardAfter, isMineByOthers } from "./board-events.ts";
import { browserStream } from "./browser-stream.ts";
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
    const isNews = (revision: string) => revision !== latest.current.board?.revision;
    const line = connection.line();
    const close = openSharedStream(
      {
        name: `presence ${org} ${me}`,
        url: (after) => `${BASE}/orgs/${encodeURIComponent(org)}/stream?after=${after}`,
        kinds: KINDS,
        after: first.sequence,
        onEvent: (told) => {
          const event = told as BoardEvent;
          if (event.kind === "hello") {
            if (isNews(event.data.revision)) ask.all.soon();
            const pages = pagesOf(event.data.version);
            return setUpgrade(({ loaded = pagesVersion() ?? pages }) => ({
              loaded,
              isUpgraded: loaded !== pages,
            }));
          }
          const { board: before } = latest.current;
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
            put(org, event);
            // How many are open in each, only the server knows.
            if (["project", "todo", "todo-gone", "left"].includes(event.kind)) ask.projects.soon();
          }
        },
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
      ask.stop();
      close();
      line.ended();
    };
  }, [org, me]);
  return upgrade;
}

function put(org: string, event: BoardEvent): void {
  goneTodos.hear(event);
  putLive<Board>(queryClient, ["board", org], (board) => boardAfter(board, event));
  putTodoEvent(queryClient, org, event);
}
