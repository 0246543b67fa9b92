import { flushSync } from "react-dom";

/** What can be typed into, or chosen from. */
export const FIELDS = ["input", "select", "textarea", "[contenteditable=true]"]
  .map((field) => `${field}:not(:disabled, [type=hidden], [type=file])`)
  .join();

/**
 * For a button that goes with what it does, and would take the focus along: the first field of its form gets it, or of the
 * dialog or section around it; where there is none, the page's heading.
 */
export function thenFocusForm(button: HTMLElement, act: () => void): void {
  const around = button.closest("form, [role=dialog], section");
  flushSync(act);
  const field = around?.isConnected ? around.querySelector<HTMLElement>(FIELDS) : undefined;
  (field ?? document.querySelector<HTMLElement>("main h1"))?.focus();
}
