import { ActionIcon } from "@mantine/core";
import { ExitIcon } from "@radix-ui/react-icons";
import { useAction } from "./action.ts";
import { useConfirm } from "./confirm.tsx";
import { hasDrafts } from "./drafts.ts";
import { mayLeave } from "./leave-guard.ts";
import { tip } from "./tips.tsx";

/** The way out, beside who is signed in. Drafts are forgotten with the session, so where there are any it asks. */
export function SignOutButton({ signOut, left }: { signOut: () => Promise<unknown>; left: () => void }) {
  const confirm = useConfirm();
  const ask = async () => {
    if (!(await mayLeave("session"))) return false;
    return (
      !hasDrafts() ||
      confirm({
        title: "Sign out and discard what is not saved?",
        body: "There are changes that you have not saved yet. Signing out removes them from this browser.",
        action: "Sign out",
        danger: true,
      })
    );
  };
  const leave = useAction(signOut, { ask, after: left });
  return (
    <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Sign out" {...tip("Sign out")} {...leave}>
      <ExitIcon />
    </ActionIcon>
  );
}
