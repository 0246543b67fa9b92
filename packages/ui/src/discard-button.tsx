import { Button, type ButtonProps } from "@mantine/core";
import { flushSync } from "react-dom";

const FIELDS = ["input", "select", "textarea", "[contenteditable=true]"]
  .map((field) => `${field}:not(:disabled, [type=hidden], [type=file])`)
  .join();

/**
 * Takes back what is not saved. The button goes with the changes, and the focus would go with the button: the first field
 * of its form gets it, or the page's heading.
 */
export function DiscardButton(
  props: Omit<ButtonProps, "children"> & { children: string; onDiscard: () => void },
) {
  const { onDiscard, children, ...rest } = props;
  return (
    <Button
      variant="default"
      {...rest}
      onClick={({ currentTarget }) => {
        const form = currentTarget.closest("form");
        flushSync(onDiscard);
        const heading = document.querySelector<HTMLElement>("main h1");
        (form?.querySelector<HTMLElement>(FIELDS) ?? heading)?.focus();
      }}
    >
      {children}
    </Button>
  );
}
