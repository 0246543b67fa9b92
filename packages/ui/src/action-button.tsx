import { Button, type ButtonProps, createPolymorphicComponent, Loader } from "@mantine/core";
import { forwardRef, type MouseEvent } from "react";

export interface ActionButtonProps extends ButtonProps {
  /** What it was pressed for is under way: it shows that and does nothing, but keeps the focus. */
  readonly busy?: boolean;
  readonly onClick?: (event: MouseEvent<HTMLButtonElement>) => void;
}

/**
 * A button that starts something. A disabled button loses the focus, and with it the place on the page of whoever
 * works by keyboard: while it is busy this one is `aria-disabled` instead.
 */
export const ActionButton = createPolymorphicComponent<"button", ActionButtonProps>(
  forwardRef<HTMLButtonElement, ActionButtonProps>(function ActionButton(
    { busy = false, onClick, ...rest },
    ref,
  ) {
    return (
      <Button
        ref={ref}
        {...rest}
        {...(busy ? { leftSection: <Loader size="1em" color="currentColor" aria-hidden /> } : {})}
        aria-disabled={busy || undefined}
        aria-busy={busy || undefined}
        data-busy={busy || undefined}
        onClick={(event: MouseEvent<HTMLButtonElement>) => {
          if (busy) event.preventDefault();
          else onClick?.(event);
        }}
      />
    );
  }),
);
