import { putLive, tellDone, tellFailure, tellUndoable } from "@frontdesk/ui";
import { useCallback } from "react";
import { call } from "./api.ts";
import { endTime } from "./board/end-words.ts";
import { statusOf, useOrg } from "./org.ts";
import { queryClient } from "./session.ts";
import type { Board, Member, Until } from "./shapes.ts";
import { t as board } from "./words/board.ts";
import { t } from "./words/status.ts";

export interface WantedStatus {
  readonly status: string;
  readonly until?: Until;
  readonly note?: string | null;
}

/** Sets a status, says so with a way back, and shows it before the stream tells of it. Without `member`: one's own. */
export function useSetStatus(member?: Pick<Member, "id" | "name">) {
  const { org, board: shown } = useOrg();
  const { statuses } = shown;
  const id = member?.id;
  const name = member?.name;
  const show = useCallback(
    (changed: { member: Member; canUndo: boolean }) =>
      putLive<Board>(queryClient, ["board", org], (before) => ({
        ...before,
        me: id === undefined ? { ...before.me, canUndo: changed.canUndo } : before.me,
        members: before.members.map((each) => (each.id === changed.member.id ? changed.member : each)),
      })),
    [org, id],
  );
  const undo = useCallback(async () => {
    try {
      show(
        id === undefined
          ? await call("POST /orgs/{org}/me/status/undo", { path: { org } })
          : await call("POST /orgs/{org}/members/{id}/status/undo", { path: { org, id } }),
      );
      tellDone(t.undone);
    } catch (error) {
      tellFailure(error);
    }
  }, [org, id, show]);
  const said = useCallback(
    (changed: { member: Member; canUndo: boolean }) => {
      const { status, expiresAt } = changed.member.status;
      const { label } = statusOf(statuses, status);
      const end = expiresAt === null ? undefined : board.until(endTime(expiresAt, Date.now()));
      if (name === undefined) return end === undefined ? t.isSet(label) : t.isSetUntil(label, end);
      return end === undefined ? t.isSetFor(name, label) : t.isSetForUntil(name, label, end);
    },
    [statuses, name],
  );
  const tell = useCallback(
    (changed: { member: Member; canUndo: boolean }) => {
      show(changed);
      if (changed.canUndo) tellUndoable(said(changed), () => void undo());
      else tellDone(said(changed));
    },
    [show, said, undo],
  );
  const set = useCallback(
    async (json: WantedStatus) =>
      tell(
        id === undefined
          ? await call("PUT /orgs/{org}/me/status", { path: { org }, json })
          : await call("PUT /orgs/{org}/members/{id}/status", { path: { org, id }, json }),
      ),
    [org, id, tell],
  );
  const clear = useCallback(
    async () =>
      tell(
        id === undefined
          ? await call("DELETE /orgs/{org}/me/status", { path: { org } })
          : await call("DELETE /orgs/{org}/members/{id}/status", { path: { org, id } }),
      ),
    [org, id, tell],
  );
  return { set, clear, undo };
}
