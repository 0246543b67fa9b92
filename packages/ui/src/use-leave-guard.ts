import { useEffect, useRef } from "react";
import { type Question, useConfirm } from "./confirm.tsx";
import { guardLeaving } from "./leave-guard.ts";

/** Asks before the page is left, for as long as what uses it is shown. */
export function useLeaveGuard(question: Question): void {
  const confirm = useConfirm();
  const latest = useRef(question);
  latest.current = question;
  useEffect(() => guardLeaving(() => confirm(latest.current)), [confirm]);
}
