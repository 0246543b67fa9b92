import { use, useEffect, useRef } from "react";
import { IsShown } from "./is-shown.ts";

/** Inputs that are no fields to write in. */
const WITHOUT_TEXT = new Set([
  "button",
  "checkbox",
  "color",
  "file",
  "image",
  "radio",
  "range",
  "reset",
  "submit",
]);

const takesText = (element: EventTarget | null): boolean =>
  element instanceof HTMLInputElement
    ? !WITHOUT_TEXT.has(element.type)
    : element instanceof HTMLTextAreaElement || (element instanceof HTMLElement && element.isContentEditable);

const isCovered = () => document.querySelector("[role=dialog], [role=alertdialog], [role=menu]") !== null;

/**
 * Does something when a key is pressed anywhere on the page, but not where it is written into a field, nor while a dialog
 * or a menu is open. It is the sign that counts and not the keys that make it: `/` needs Shift on many keyboards.
 */
export function usePageKey(sign: string, act: () => void): void {
  const isShown = use(IsShown);
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    if (!isShown) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== sign || event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.defaultPrevented || event.isComposing || takesText(event.target) || isCovered()) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [sign, isShown]);
}
