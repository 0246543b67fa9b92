import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { type Question, useConfirm } from "./confirm.tsx";
import { useIsMounted } from "./is-mounted.ts";
import { tellDone, tellFailure } from "./toasts.tsx";
import { useSecretGuard } from "./use-leave-guard.ts";
import { t } from "./words/dialogs.ts";

/**
 * For a button whose action is under way. A disabled button loses the focus, and with it the place on the page of
 * whoever works by keyboard: this one stays where it is and does nothing.
 */
export const busyProps = (busy: boolean) =>
  busy ? ({ "aria-disabled": true, "aria-busy": true, "data-busy": true } as const) : {};

/**
 * For a button that has nothing to do at the moment. It looks disabled and keeps the focus: whoever presses Save by
 * keyboard stays where they are. What it does must not be done by a click on it.
 */
export const idleProps = (idle: boolean) =>
  idle ? ({ "aria-disabled": true, "data-disabled": true } as const) : {};

type Confirm = ReturnType<typeof useConfirm>;

export interface ActionOptions<T> {
  /**
   * Asked first, where it is hard to take back; a function decides for itself what there is to ask. The `confirm` that
   * it is given asks nothing, and answers no, once the button is gone.
   */
  readonly ask?: Question | ((confirm: Confirm) => Promise<boolean>);
  /** What has to be asked for anew afterwards. */
  readonly changes?: ReadonlyArray<{ queryKey: QueryKey }>;
  /** Said when it is done. */
  readonly done?: string | ((result: T) => string);
  readonly after?: (result: T) => void;
  /** What it makes, where that is told once, completing "Leave without …?": asked while it is under way. */
  readonly secret?: string;
}

/**
 * What a button does: asks, does it, says so or why not. The answer is spread over the button. What it does is what it was when
 * it was pressed: the page goes on behind the question, and nobody agreed to something newer.
 */
export function useAction<T>(action: () => Promise<T>, options: ActionOptions<T> = {}) {
  const confirm = useConfirm();
  const queries = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  // Two clicks may come before the button is drawn as busy.
  const isUnderWay = useRef(false);
  const isMounted = useIsMounted();
  const askAnew = () =>
    Promise.all((options.changes ?? []).map(({ queryKey }) => queries.invalidateQueries({ queryKey })));
  const { mutate, isPending } = useMutation({
    mutationFn: (pressed: () => Promise<T>) => pressed(),
    onSuccess: async (result) => {
      const { done, after } = options;
      // First: it may be a secret that is told once, and the answers after it may take their time.
      after?.(result);
      await askAnew();
      if (done) tellDone(typeof done === "function" ? done(result) : done);
    },
    onError: (error) => {
      tellFailure(error);
      // A part of it may be done.
      void askAnew();
    },
    onSettled: () => {
      isUnderWay.current = false;
    },
  });
  useSecretGuard(options.secret, isPending);
  const isAgreed = async () => {
    const { ask } = options;
    if (typeof ask !== "function") {
      if (!ask) return true;
      const isYes = await confirm(ask);
      if (isYes && !isMounted.current) tellFailure(new Error(t.changedWhileAsked));
      return isYes && isMounted.current;
    }
    setIsAsking(true);
    try {
      return await ask(async (question) => isMounted.current && confirm(question));
    } catch (error) {
      if (isMounted.current) tellFailure(error);
      return false;
    } finally {
      setIsAsking(false);
    }
  };
  const start = async () => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    if (await isAgreed()) mutate(action);
    else isUnderWay.current = false;
  };
  return { ...busyProps(isPending || isAsking), onClick: () => void start() };
}
