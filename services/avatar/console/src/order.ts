import { type Question, tellDone, tellFailure, useConfirm } from "@frontdesk/ui";
import { useMutation } from "@tanstack/react-query";
import { changed } from "./session.ts";

/**
 * An order that a button gives: asks first where it is hard to take back, asks the server anew for what
 * it has changed, and says that it is done, or why not.
 */
export function useOrder(
  order: () => Promise<unknown>,
  then: {
    readonly ask?: Question;
    readonly changes?: ReadonlyArray<{ queryKey: readonly unknown[] }>;
    readonly done?: string;
    readonly after?: () => void;
  },
) {
  const confirm = useConfirm();
  const { mutate, isPending } = useMutation({
    mutationFn: order,
    onSuccess: async () => {
      await changed(...(then.changes ?? []));
      if (then.done) tellDone(then.done);
      then.after?.();
    },
    onError: tellFailure,
  });
  const give = async () => {
    if (!then.ask || (await confirm(then.ask))) mutate();
  };
  return { loading: isPending, onClick: () => void give() };
}
