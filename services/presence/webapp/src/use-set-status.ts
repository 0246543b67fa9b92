import { createNewestLast, putLive, tellDone, tellFailure } from "@frontdesk/ui";
import { useCallback } from "react";
import { call } from "./api.ts";
import { endTime } from "./board/end-words.ts";
import { boardAnswered } from "./board-events.ts";
import { statusOf, useOrg } from "./org.ts";
import { queryClient } from "./session.ts";
import type { Board, Member, StatusChanged, Until } from "./shapes.ts";
import { offerUndo, rememberSet, withdrawOffer } from "./status-offers.ts";
import { t as board } from "./words/board.ts";
import { t } from "./words/status.ts";

export interface WantedStatus {
  readonly status: string;
  readonly until?: Until;
  readonly note?: string | null;
}

/** By member, wherever on the page it is asked for. */
const inTurn = createNewestLast();

/** Sets a status, says so with a way back, and shows it before the stream tells of it. Without `member`: one's own. */
export function useSetStatus(member?: Pick<Member, "id" | "name">) {
  const { org, board: shown } = useOrg();
  const { statuses } = shown;
  const myId = shown.me.id;
  const id = member?.id;
  const name = member?.name;
  /** Sends a change, and shows what is answered; undefined where a newer change follows. */
  const send = useCallback(
    (ask: () => Promise<StatusChanged>) => {
      withdrawOffer(id ?? myId);
      return inTurn(id ?? myId, async () => {
        const asked = queryClient.getQueryData<Board>(["board", org])?.members ?? [];
        const changed = await ask();
        rememberSet(changed.member);
        const before = asked.find((each) => each.id === changed.member.id);
        putLive<Board>(queryClient, ["board", org], (now) =>
          boardAnswered(now, before, changed, id === undefined),
        );
        return changed;
      });
    },
    [org, id, myId],
  );
  /** Takes back the change that was answered with this id. */
  const undo = useCallback(
    async (undoId: string) => {
      const json = { undo: undoId };
      try {
        const undone = await send(() =>
          id === undefined
            ? call("POST /orgs/{org}/me/status/undo", { path: { org }, json })
            : call("POST /orgs/{org}/members/{id}/status/undo", { path: { org, id }, json }),
        );
        if (undone) tellDone(t.undone);
      } catch (error) {
        tellFailure(error);
      }
    },
    [org, id, send],
  );
  const said = useCallback(
    (changed: StatusChanged) => {
      const { status, expiresAt } = changed.member.status;
      const { label } = statusOf(statuses, status);
      const until = expiresAt === null ? undefined : board.until(endTime(expiresAt, Date.now()));
      const { afterwards } = changed;
      const end = until && afterwards ? t.andThen(until, statusOf(statuses, afterwards).label) : until;
      if (name === undefined) return end === undefined ? t.isSet(label) : t.isSetUntil(label, end);
      return end === undefined ? t.isSetFor(name, label) : t.isSetForUntil(name, label, end);
    },
    [statuses, name],
  );
  const tell = useCallback(
    (changed: StatusChanged | undefined) => {
      if (!changed) return;
      const { undo: undoId } = changed;
      if (undoId === null) tellDone(said(changed));
      else offerUndo(said(changed), changed.member.id, () => void undo(undoId));
    },
    [said, undo],
  );
  const set = useCallback(
    async (json: WantedStatus) =>
      tell(
        await send(() =>
          id === undefined
            ? call("PUT /orgs/{org}/me/status", { path: { org }, json })
            : call("PUT /orgs/{org}/members/{id}/status", { path: { org, id }, json }),
        ),
      ),
    [org, id, send, tell],
  );
  const clear = useCallback(
    async () =>
      tell(
        await send(() =>
          id === undefined
            ? call("DELETE /orgs/{org}/me/status", { path: { org } })
            : call("DELETE /orgs/{org}/members/{id}/status", { path: { org, id } }),
        ),
      ),
    [org, id, send, tell],
  );
  return { set, clear, undo };
}
