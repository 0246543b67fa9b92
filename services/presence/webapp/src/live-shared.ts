import { connection, pagesVersion, putLive } from "@frontdesk/ui";
import { useEffect, useRef } from "react";
import { BASE } from "./api.ts";
import { browserStream } from "./browser-stream.ts";
import { eachFrame } from "./each-frame.ts";
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
    const hear = (events: readonly SharedEvent[]) => {
      let shown = queryClient.getQueryData<Shared>(key.queryKey);
      const isNews = (revision: string | undefined) => revision !== shown?.revision;
      const changes: SharedEvent[] = [];
      for (const event of events) {
        if (event.kind === "hello") {
          if (isNews(event.data.revision)) asking.soon();
          keepUp(event.data.version);
        } else if (event.kind === "changed") {
          if (isNews(event.data.revision)) asking.soon();
        } else if (event.kind === "revised" && isNews(event.data.before) && isNews(event.data.revision)) {
          asking.soon();
        } else if (event.kind === "reset" || event.kind === "revoked") asking.soon();
        else {
          if (shown && isOfStranger(shown, event)) asking.soon();
          shown = shown && sharedAfter(shown, event);
          changes.push(event);
        }
      }
      if (changes.length > 0)
        putLive<Shared>(queryClient, key.queryKey, (before) => changes.reduce(sharedAfter, before));
    };
    const frames = eachFrame(hear);
    const line = connection.line();
    const close = openSharedStream(
      {
        name: `presence shared ${token}`,
        url: (after) => `${BASE}/shared/${encodeURIComponent(token)}/stream?after=${after}`,
        kinds: KINDS,
        after: sequence,
        onEvent: (told) => frames.add(told as SharedEvent),
        onState: (state, heardAt) => (state === "open" ? line.opened() : line.lost(heardAt)),
        onRefused: asking.soon,
        onMissed: asking.soon,
      },
      browserStream,
    );
    return () => {
      frames.end();
      asking.stop();
      stopReloading();
      close();
      line.ended();
    };
  }, [token, isThere]);
}
