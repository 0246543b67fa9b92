/** What of a row can have the focus. */
const CONTROLS = "a[href], button, input, select, textarea, [tabindex]:not([tabindex='-1'])";
/** What opens over the page and belongs to the row from which it was opened. */
const LAYERS = "[role=menu], [role=dialog], [role=alertdialog], [role=listbox]";
/** A dialog that closes keeps the focus until it is gone: so many frames, about two seconds, are waited for that. */
const MAX_FRAMES = 120;

interface Place {
  readonly row: Element;
  /** Which of the row's controls. */
  readonly control: number;
  readonly section: Element | null;
}

/** Rows of which only those in sight are drawn look after the focus themselves. */
const isRow = (element: Element) => !element.hasAttribute("data-index") && !element.closest("[role=grid]");

function placeOf(focused: Element): Place | undefined {
  const row = focused.closest("li, tbody > tr");
  if (!row?.closest("main") || !isRow(row)) return undefined;
  const control = [...row.querySelectorAll(CONTROLS)].indexOf(focused);
  return { row, control: Math.max(0, control), section: row.closest("section") };
}

const isElement = (node: Node | null): node is Element => node instanceof Element && node.isConnected;

/** The row in the place of one that has gone, or what it was a row of. */
function heirOf({ control, section }: Place, removal: MutationRecord | undefined): HTMLElement | undefined {
  const row = [removal?.nextSibling ?? null, removal?.previousSibling ?? null].find(isElement);
  const controls = [...(row?.querySelectorAll<HTMLElement>(CONTROLS) ?? [])];
  const canHave = (each: HTMLElement) => !each.matches(":disabled");
  const heir = controls.slice(control).find(canHave) ?? controls.findLast(canHave);
  if (heir) return heir;
  const heading = (
    section?.isConnected ? section : document.querySelector("main")
  )?.querySelector<HTMLElement>("h1, h2, h3");
  if (heading && !heading.hasAttribute("tabindex")) heading.tabIndex = -1;
  return heading ?? undefined;
}

/**
 * A row that is done, archived or removed takes the focus along, and whoever works by keyboard would begin again at the
 * top of the page: the row in its place gets it, or the heading of its section where none is left.
 */
export function keepFocus(): void {
  let place: Place | undefined;
  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof Element) || target.closest(LAYERS)) return;
    place = placeOf(target);
  });
  const pass = (heir: HTMLElement, frames: number) => {
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) heir.focus({ preventScroll: true });
    else if (activeElement.closest(LAYERS) && frames < MAX_FRAMES)
      requestAnimationFrame(() => pass(heir, frames + 1));
  };
  new MutationObserver((records) => {
    if (!place || place.row.isConnected) return;
    const { row } = place;
    const heir = heirOf(
      place,
      records.findLast(({ removedNodes }) => [...removedNodes].includes(row)),
    );
    place = undefined;
    if (heir) pass(heir, 0);
  }).observe(document.body, { childList: true, subtree: true });
}
