import { connection, pagesVersion, putLive } from "@frontdesk/ui";
import { useEffect, useRef } from "react";
import { BASE } from "./api.ts";
import { browserStream } from "./browser-stream.ts";
import { askSoon } from "./live-questions.ts";
import { browserReload, pagesOf, reloadTries, reloadWhenReady } from "./reload-when-ready.ts";
import { changed, queryClient } from "./session.ts";
import type { Shared } from "./shapes.ts";
import { isOfStranger, type SharedEvent, sharedAfter } from "./shared-events.ts";
import { openSharedStream } from "./shared-stream.ts";

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
    const loaded = pagesVersion() ?? pagesOf(version);
    const key = { queryKey: ["shared", token] };
    const asking = askSoon(queryClient, key);
    const isNews = (revision: string | undefined) =>
      revision !== queryClient.getQueryData<Shared>(key.queryKey)?.revision;
    let stopReloading = () => {};
    /** Loads other pages; where the pages are the same, people have other ids: what is shown is asked for anew. */
    const keepUp = (told: string) => {
      const isShown = () => queryClient.getQueryData<Shared>(key.queryKey)?.version === told;
      const isSamePage = pagesOf(told) === loaded;
      stopReloading();
      if (isSamePage && isShown()) return reloadTries.set(0);
      const isWell = async () => {
        if (isSamePage) await changed(key);
        return isSamePage && isShown();
      };
      stopReloading = reloadWhenReady({ ...browserReload(loaded), isWell });
    };
    const line = connection.line();
    const close = openSharedStream(
      {
        name: `presence shared ${token}`,
        url: (after) => `${BASE}/shared/${encodeURIComponent(token)}/stream?after=${after}`,
        kinds: KINDS,
        after: sequence,
        onEvent: (told) => {
          const event = told as SharedEvent;
          if (event.kind === "hello") {
            if (isNews(event.data.revision)) asking.soon();
            keepUp(event.data.version);
          } else if (event.kind === "changed") {
            if (isNews(event.data.revision)) asking.soon();
          } else if (event.kind === "revised" && isNews(event.data.before) && isNews(event.data.revision)) {
            asking.soon();
          } else if (event.kind === "reset" || event.kind === "revoked") asking.soon();
          else {
            const shown = queryClient.getQueryData<Shared>(key.queryKey);
            if (shown && isOfStranger(shown, event)) asking.soon();
            putLive<Shared>(queryClient, key.queryKey, (before) => sharedAfter(before, event));
          }
        },
        onState: (state, heardAt) => (state === "open" ? line.opened() : line.lost(heardAt)),
        onRefused: asking.soon,
        onMissed: asking.soon,
      },
      browserStream,
    );
    return () => {
      asking.stop();
      stopReloading();
      close();
      line.ended();
    };
  }, [token, isThere]);
}
