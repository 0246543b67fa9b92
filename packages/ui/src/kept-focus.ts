import { FIELDS } from "./focus-form.ts";

/** What of a row can have the focus. */
const CONTROLS = "a[href], button, input, select, textarea, [tabindex]:not([tabindex='-1'])";
/** What a button stands in. */
const PLACES = ["fieldset", "form", "article", "section"].map((place) => `main ${place}`).join();
/** What opens over the page and belongs to the row from which it was opened. */
const LAYERS = "[role=menu], [role=dialog], [role=alertdialog], [role=listbox]";
/** A dialog that closes keeps the focus until it is gone: so many frames, about two seconds, are waited for that. */
const MAX_FRAMES = 120;

/** Where the focus is, and who gets it when what has it goes. */
interface Place {
  readonly focused: Element;
  readonly heir: (records: readonly MutationRecord[]) => HTMLElement | undefined;
}

/** Rows of which only those in sight are drawn look after the focus themselves. */
const isRow = (element: Element) => !element.hasAttribute("data-index") && !element.closest("[role=grid]");

function placeOf(focused: Element): Place | undefined {
  if (!focused.closest("main")) return undefined;
  const row = focused.closest("li, tbody > tr");
  if (!row) return placeAlone(focused);
  return isRow(row) ? placeInRow(row, focused) : undefined;
}

/** The same control of its row, or of the row in the place of one that has gone; the heading of its section where none is left. */
function placeInRow(row: Element, focused: Element): Place {
  const control = Math.max(0, controlsOf(row).indexOf(focused as HTMLElement));
  const section = row.closest("section");
  return {
    focused,
    heir: (records) => {
      const removal = records.findLast(({ removedNodes }) => [...removedNodes].includes(row));
      const rows = [row, removal?.nextSibling ?? null, removal?.previousSibling ?? null];
      const controls = controlsOf(rows.find(isElement));
      const canHave = (each: HTMLElement) => !each.matches(":disabled");
      return controls.slice(control).find(canHave) ?? controls.findLast(canHave) ?? headingOf(section);
    },
  };
}

/**
 * A button that goes with what it does, as one that opens a form in its own place, or closes it: what is there instead gets the
 * focus, a field before a button. Only of those who work by keys: a field that is focused brings up a phone's keyboard.
 */
function placeAlone(focused: Element): Place | undefined {
  if (!focused.matches(":focus-visible")) return undefined;
  const around: Element[] = [];
  for (let each = focused.parentElement; each; each = each.parentElement)
    if (each.matches(PLACES)) around.push(each);
  return {
    focused,
    heir: () => {
      const place = around.find(isElement);
      return place && (place.querySelector<HTMLElement>(FIELDS) ?? controlsOf(place)[0] ?? headingOf(place));
    },
  };
}

const controlsOf = (row: Element | undefined) => [...(row?.querySelectorAll<HTMLElement>(CONTROLS) ?? [])];

const isElement = (node: Node | null): node is Element => node instanceof Element && node.isConnected;

function headingOf(section: Element | null): HTMLElement | undefined {
  const heading = (
    section?.isConnected ? section : document.querySelector("main")
  )?.querySelector<HTMLElement>("h1, h2, h3");
  if (heading && !heading.hasAttribute("tabindex")) heading.tabIndex = -1;
  return heading ?? undefined;
}

/**
 * A row that is done, archived or removed takes the focus along, and whoever works by keyboard would begin again at the
 * top of the page: the row in its place gets it, or the heading of its section where none is left. So it is with a button that
 * goes with what it does.
 */
export function keepFocus(): void {
  let place: Place | undefined;
  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof Element) || target.closest(LAYERS)) return;
    place = placeOf(target);
  });
  document.addEventListener("focusout", ({ target, relatedTarget }) => {
    if (relatedTarget || target !== place?.focused) return;
    queueMicrotask(() => {
      // What goes, is disabled, or is in a window that is left loses the focus, too: that gives nothing up.
      const isThere = place?.focused.isConnected && !place.focused.matches(":disabled");
      if (isThere && document.activeElement === document.body) place = undefined;
    });
  });
  const pass = (heir: HTMLElement, frames: number) => {
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) heir.focus({ preventScroll: true });
    else if (activeElement.closest(LAYERS) && frames < MAX_FRAMES)
      requestAnimationFrame(() => pass(heir, frames + 1));
  };
  new MutationObserver((records) => {
    if (!place || place.focused.isConnected) return;
    const heir = place.heir(records);
    place = undefined;
    if (heir) pass(heir, 0);
  }).observe(document.body, { childList: true, subtree: true });
}
