import { type Question, tellDone, tellFailure, useConfirm } from "@frontdesk/ui";
import { useMutation } from "@tanstack/react-query";
import { changed } from "./session.ts";

/** A button's order: asks first where it is hard to take back, then does it, then says so, or why not. */
export function useOrder<T>(
  order: () => Promise<T>,
  then: {
    readonly ask?: Question;
    readonly changes?: ReadonlyArray<{ queryKey: readonly unknown[] }>;
    readonly done?: string;
    readonly after?: (result: T) => void;
  } = {},
) {
  const confirm = useConfirm();
  const { mutate, isPending } = useMutation({
    mutationFn: order,
    onSuccess: async (result) => {
      await changed(...(then.changes ?? []));
      if (then.done) tellDone(then.done);
      then.after?.(result);
    },
    onError: tellFailure,
  });
  const give = async () => {
    if (!then.ask || (await confirm(then.ask))) mutate();
  };
  return { loading: isPending, onClick: () => void give() };
}
