import { Button, type ButtonProps } from "@mantine/core";
import { thenFocusForm } from "./focus-form.ts";

/** Takes back what is not saved. The button goes with the changes. */
export function DiscardButton(
  props: Omit<ButtonProps, "children"> & { children: string; onDiscard: () => void },
) {
  const { onDiscard, children, ...rest } = props;
  return (
    <Button
      variant="default"
      {...rest}
      onClick={({ currentTarget }) => thenFocusForm(currentTarget, onDiscard)}
    >
      {children}
    </Button>
  );
}
