import { connection, gatherSpread, putLive } from "@frontdesk/ui";
import { useEffect, useRef } from "react";
import { BASE } from "./api.ts";
import { boardRevised } from "./board-events.ts";
import { browserStream } from "./browser-stream.ts";
import { changed, queryClient } from "./session.ts";
import type { Shared, SharedStreamEvents } from "./shapes.ts";
import { openSharedStream } from "./shared-stream.ts";

type SharedEvent = {
  [Name in keyof SharedStreamEvents]: { readonly kind: Name; readonly data: SharedStreamEvents[Name] };
}[keyof SharedStreamEvents] & { readonly id: number | undefined };

const KINDS = [
  "hello",
  "status",
  "member",
  "left",
  "todo",
  "todo-gone",
  "revised",
  "changed",
  "reset",
  "revoked",
] as const satisfies ReadonlyArray<SharedEvent["kind"]>;

/** Keeps what a share link shows as the server has it. Nobody reloads a screen on a wall: it does so by itself. */
export function useLiveShared(token: string, shared: Shared | undefined): void {
  const first = useRef(shared);
  first.current ??= shared;
  const isThere = shared !== undefined;
  useEffect(() => {
    if (!isThere || !first.current) return;
    const { sequence, version } = first.current;
    const key = { queryKey: ["shared", token] };
    const asking = gatherSpread(() => void changed(key));
    const isNews = (revision: string | undefined) =>
      revision !== queryClient.getQueryData<Shared>(key.queryKey)?.revision;
    const close = openSharedStream(
      {
        name: `presence shared ${token}`,
        url: (after) => `${BASE}/shared/${encodeURIComponent(token)}/stream?after=${after}`,
        kinds: KINDS,
        after: sequence,
        onEvent: (told) => {
          const event = told as SharedEvent;
          if (event.kind === "hello") {
            if (event.data.version !== version) window.location.reload();
            else if (isNews(event.data.revision)) asking.soon();
          } else if (event.kind === "changed") {
            if (isNews(event.data.revision)) asking.soon();
          } else if (event.kind === "revised" && isNews(event.data.before) && isNews(event.data.revision)) {
            asking.soon();
          } else if (event.kind === "reset" || event.kind === "revoked") asking.soon();
          else putLive<Shared>(queryClient, key.queryKey, (before) => sharedAfter(before, event));
        },
        onState: (state) => (state === "open" ? connection.answered() : connection.lost()),
        onRefused: asking.soon,
        onMissed: asking.soon,
      },
      browserStream,
    );
    return () => {
      asking.stop();
      close();
    };
  }, [token, isThere]);
}

function sharedAfter(shared: Shared, event: SharedEvent): Shared {
  if (event.kind === "revised") return boardRevised(shared, event.data);
  if (event.id === undefined || event.id <= shared.sequence) return shared;
  const next = { ...shared, sequence: event.id };
  switch (event.kind) {
    case "status": {
      const { id, status, expiresAt } = event.data;
      const members = shared.members.map((each) => (each.id === id ? { ...each, status, expiresAt } : each));
      return { ...next, members };
    }
    case "member":
      return { ...next, members: [...without(shared.members, event.data.id), event.data] };
    case "left":
      return { ...next, members: without(shared.members, event.data.id) };
    case "todo":
      return { ...next, todos: [...without(shared.todos, event.data.id), event.data] };
    case "todo-gone":
      return { ...next, todos: without(shared.todos, event.data.id) };
    default:
      return next;
  }
}

const without = <T extends { readonly id: string }>(all: readonly T[], id: string): T[] =>
  all.filter((each) => each.id !== id);
