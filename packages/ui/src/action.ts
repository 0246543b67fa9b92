import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { type Question, useConfirm } from "./confirm.tsx";
import { tellDone, tellFailure } from "./toasts.tsx";

/**
 * For a button whose action is under way. A disabled button loses the focus, and with it the place on the page of
 * whoever works by keyboard: this one stays where it is and does nothing.
 */
export const busyProps = (busy: boolean) =>
  busy ? ({ "aria-disabled": true, "aria-busy": true, "data-busy": true } as const) : {};

export interface ActionOptions<T> {
  /** Asked first, where it is hard to take back; a function decides for itself what there is to ask. */
  readonly ask?: Question | (() => Promise<boolean>);
  /** What has to be asked for anew afterwards. */
  readonly changes?: ReadonlyArray<{ queryKey: QueryKey }>;
  /** Said when it is done. */
  readonly done?: string | ((result: T) => string);
  readonly after?: (result: T) => void;
}

/** What a button does: asks, does it, says so or why not. The answer is spread over the button. */
export function useAction<T>(action: () => Promise<T>, options: ActionOptions<T> = {}) {
  const confirm = useConfirm();
  const queries = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: action,
    onSuccess: async (result) => {
      const { changes = [], done, after } = options;
      // First: it may be a secret that is told once, and the answers after it may take their time.
      after?.(result);
      await Promise.all(changes.map(({ queryKey }) => queries.invalidateQueries({ queryKey })));
      if (done) tellDone(typeof done === "function" ? done(result) : done);
    },
    onError: tellFailure,
  });
  const start = async () => {
    const { ask } = options;
    if (!ask || (await (typeof ask === "function" ? ask() : confirm(ask)))) mutate();
  };
  return {
    ...busyProps(isPending),
    onClick: () => {
      if (!isPending) void start();
    },
  };
}
