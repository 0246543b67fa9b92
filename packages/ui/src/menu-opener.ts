/** What has opened the menu that has the focus, or had it last: null once something else has it. */
let opener: HTMLElement | null = null;

document.addEventListener("focusin", ({ target }) => {
  const menu = target instanceof Element ? target.closest("[role=menu]") : null;
  opener = menu && document.getElementById(menu.getAttribute("aria-labelledby") ?? "");
});

/** A menu takes the focus along when it closes: whatever is opened from it, the focus is to come back to what opened the menu. */
export function focusMenuOpener(): void {
  opener?.focus({ preventScroll: true });
}
