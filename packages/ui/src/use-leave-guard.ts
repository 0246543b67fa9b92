import { useEffect, useRef } from "react";
import { type Question, useConfirm } from "./confirm.tsx";
import { guardLeaving } from "./leave-guard.ts";
import { t } from "./words/dialogs.ts";

/** Asks before the page is left while a secret is on its way that is told once: afterwards nobody can see it. */
export function useSecretGuard(secret: string | undefined, isOnItsWay: boolean): void {
  const isLost = secret !== undefined && isOnItsWay;
  useLeaveGuard(
    isLost
      ? { title: t.leaveWithout(secret), body: t.itIsBeingMade, action: t.leave, danger: true }
      : undefined,
  );
}

/** Asks before the page is left, for as long as what uses it is shown and there is something to ask. */
export function useLeaveGuard(question: Question | undefined): void {
  const confirm = useConfirm();
  const latest = useRef(question);
  latest.current = question;
  const isGuarded = question !== undefined;
  useEffect(() => {
    if (isGuarded) return guardLeaving(async () => !latest.current || confirm(latest.current));
  }, [isGuarded, confirm]);
}
