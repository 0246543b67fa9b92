import { useEffect, useRef } from "react";
import classes from "./tips.module.css";

const GAP = 6;
const HOVER_MS = 300;

/**
 * A few words about an element, shown when it is pointed at, tapped or has the focus. Spread onto the element:
 * `<time {...tip("3 May 2026, 14:05")}>`. They never replace a name: whoever does not see them loses nothing.
 */
export const tip = (words: string) => ({ "data-tip": words });

/** The one bubble of a page that shows them: a table of ten thousand moments costs no more than one. */
export function Tips() {
  const bubble = useRef<HTMLDivElement>(null);
  useEffect(() => (bubble.current ? followTips(bubble.current) : undefined), []);
  return <div ref={bubble} id="fd-tip" role="tooltip" popover="manual" className={classes.bubble} />;
}

function followTips(bubble: HTMLElement): () => void {
  let owner: HTMLElement | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hide = () => {
    clearTimeout(timer);
    owner?.removeAttribute("aria-describedby");
    owner = undefined;
    bubble.hidePopover();
  };
  const show = (of: HTMLElement) => {
    if (!of.isConnected) return;
    owner = of;
    bubble.textContent = of.dataset.tip ?? "";
    bubble.showPopover();
    place(bubble, of);
    of.setAttribute("aria-describedby", bubble.id);
  };
  const begin = (event: Event) => {
    const of = ownerOf(event.target);
    if (of === owner && of) return;
    // A tap also gives the focus to what is around it.
    if (event.type === "focusin" && owner && (event.target as Node).contains(owner)) return;
    hide();
    if (!of) return;
    const pointed = event.type === "pointerover" && (event as PointerEvent).pointerType === "mouse";
    if (pointed) timer = setTimeout(() => show(of), HOVER_MS);
    else show(of);
  };
  const end = (event: Event) => {
    // A finger is gone as soon as it has tapped: what it brought up stays until the next tap.
    if ((event as PointerEvent).pointerType === "touch") return;
    if (event.type === "focusout" && ownerOf(event.target) !== owner) return;
    const to = ownerOf((event as PointerEvent | FocusEvent).relatedTarget);
    if (!to || to !== ownerOf(event.target)) hide();
  };
  const follow = () => owner && place(bubble, owner);
  const onKey = ({ key }: KeyboardEvent) => key === "Escape" && hide();
  // Words may change under the pointer ("Copy" becomes "Copied"), and who had them may go.
  const watch = new MutationObserver((changes) => {
    if (owner && !owner.isConnected) hide();
    for (const { target } of changes) {
      const of = ownerOf(target);
      if (of && of === target && of.dataset.tip !== bubble.textContent && of.matches(":hover, :focus"))
        show(of);
    }
  });
  watch.observe(document.body, { subtree: true, childList: true, attributeFilter: ["data-tip"] });
  const listeners: ReadonlyArray<[type: string, listener: (event: never) => void]> = [
    ["pointerover", begin],
    ["focusin", begin],
    ["pointerout", end],
    ["focusout", end],
    ["keydown", onKey],
    ["scroll", follow],
  ];
  for (const [type, listener] of listeners)
    document.addEventListener(type, listener as EventListener, { capture: true, passive: true });
  return () => {
    hide();
    watch.disconnect();
    for (const [type, listener] of listeners)
      document.removeEventListener(type, listener as EventListener, { capture: true });
  };
}

const ownerOf = (target: EventTarget | null): HTMLElement | undefined =>
  target instanceof Element ? (target.closest<HTMLElement>("[data-tip]") ?? undefined) : undefined;

/** Above its owner, below where there is no room, and never past an edge of the window. */
function place(bubble: HTMLElement, owner: HTMLElement): void {
  const { top, bottom, left, width } = owner.getBoundingClientRect();
  const { offsetWidth, offsetHeight } = bubble;
  const above = top - GAP - offsetHeight;
  const middle = left + width / 2 - offsetWidth / 2;
  const rightmost = document.documentElement.clientWidth - offsetWidth - GAP;
  bubble.style.top = `${above >= GAP ? above : bottom + GAP}px`;
  bubble.style.left = `${Math.max(GAP, Math.min(middle, rightmost))}px`;
}
