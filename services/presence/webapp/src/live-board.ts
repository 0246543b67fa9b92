import { connection, gather, gatherSpread, putLive } from "@frontdesk/ui";
import { useEffect, useRef, useState } from "react";
import { BASE, questions } from "./api.ts";
import { type BoardEvent, boardAfter, type TodoFilter, todosAfter } from "./board-events.ts";
import { browserStream } from "./browser-stream.ts";
import { changed, queryClient } from "./session.ts";
import type { Board, Todo } from "./shapes.ts";
import { openSharedStream } from "./shared-stream.ts";

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

/** Keeps what is shown of an organisation as the server has it; answers whether the pages were upgraded meanwhile. */
export function useLiveBoard(
  org: string,
  board: Board | undefined,
  onEvent: (event: BoardEvent, before: Board | undefined) => void = () => {},
): boolean {
  const [version, setVersion] = useState<string>();
  const [isUpgraded, setUpgraded] = useState(false);
  const latest = useRef({ onEvent, board });
  latest.current = { onEvent, board };
  const me = board?.me.id;
  useEffect(() => {
    const { board: first } = latest.current;
    if (me === undefined || !first) return;
    const askAll = () => changed({ queryKey: ["board", org] }, { queryKey: ["todos", org] });
    const asking = gatherSpread(() => void askAll());
    const isNews = (revision: string) => revision !== latest.current.board?.revision;
    const close = openSharedStream(
      {
        name: `presence ${org} ${me}`,
        url: (after) => `${BASE}/orgs/${encodeURIComponent(org)}/stream?after=${after}`,
        kinds: KINDS,
        after: first.sequence,
        onEvent: (told) => {
          const event = told as BoardEvent;
          if (event.kind === "hello") {
            if (isNews(event.data.revision)) asking.soon();
            return setVersion(event.data.version);
          }
          latest.current.onEvent(event, latest.current.board);
          if (event.kind === "revised" && isNews(event.data.before) && isNews(event.data.revision))
            asking.soon();
          else if (event.kind === "reset" || (event.kind === "changed" && isNews(event.data.revision)))
            asking.soon();
          else put(org, event);
        },
        onState: (state) => (state === "open" ? connection.answered() : connection.lost()),
        onRefused: () => void changed(questions.me),
        onMissed: asking.soon,
      },
      browserStream,
    );
    // A page that a browser had put away whole heard nothing meanwhile.
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && asking.soon();
    window.addEventListener("pageshow", onShow);
    return () => {
      window.removeEventListener("pageshow", onShow);
      asking.stop();
      close();
    };
  }, [org, me]);
  const first = useRef(version);
  useEffect(() => {
    if (version === undefined) return;
    first.current ??= version;
    if (first.current !== version) setUpgraded(true);
  }, [version]);
  return isUpgraded;
}

function put(org: string, event: BoardEvent): void {
  putLive<Board>(queryClient, ["board", org], (board) => boardAfter(board, event));
  if (event.kind === "todo") {
    putLive<readonly Todo[]>(queryClient, ["todos", org], (todos, [, , filter]) =>
      todosAfter(todos, filter as TodoFilter, event.data),
    );
  }
  if (event.kind === "todo-gone") {
    putLive<readonly Todo[]>(queryClient, ["todos", org], (todos) =>
      todos.filter(({ id }) => id !== event.data.id),
    );
  }
  // How many are open in each, only the server knows.
  if (event.kind === "project" || event.kind === "todo" || event.kind === "todo-gone") projectsOf(org).soon();
}

const asked = new Map<string, ReturnType<typeof gather>>();
function projectsOf(org: string) {
  const known = asked.get(org) ?? gather(() => void changed(questions.projects(org)), 1_000);
  asked.set(org, known);
  return known;
}
