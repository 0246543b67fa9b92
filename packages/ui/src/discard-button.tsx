import { Button, type ButtonProps } from "@mantine/core";
import { use } from "react";
import { ForgetRefusal } from "./action-form.tsx";
import { thenFocusForm } from "./focus-form.ts";

/** Takes back what is not saved, and with it what the server said of it. The button goes with the changes. */
export function DiscardButton(
  props: Omit<ButtonProps, "children"> & { children: string; onDiscard: () => void },
) {
  const { onDiscard, children, ...rest } = props;
  const forgetRefusal = use(ForgetRefusal);
  return (
    <Button
      variant="default"
      {...rest}
      onClick={({ currentTarget }) =>
        thenFocusForm(currentTarget, () => {
          onDiscard();
          forgetRefusal();
        })
      }
    >
      {children}
    </Button>
  );
}
