import assert from "node:assert/strict";
import type { Page } from "playwright-core";

interface Focused {
  readonly name: string;
  readonly role: string;
}

/** What has the focus, by the name that is read out for it. */
export async function focused(page: Page): Promise<Focused> {
  return page.evaluate(() => {
    const it = document.activeElement;
    if (!it || it === document.body) return { name: "", role: "nothing" };
    const labelledBy = it.getAttribute("aria-labelledby")?.split(" ") ?? [];
    const label = (it as HTMLInputElement).labels?.[0]?.textContent;
    const words = labelledBy.map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
    const name = it.getAttribute("aria-label") ?? (words || label || it.textContent || "");
    return { name: name.trim(), role: it.getAttribute("role") ?? it.tagName.toLowerCase() };
  });
}

/** Goes on with the Tab key until something of that name has the focus, and sees on every stop where it is. */
export async function tabTo(page: Page, name: string, { most = 40 } = {}): Promise<void> {
  const passed: string[] = [];
  for (let i = 0; i < most; i++) {
    await page.keyboard.press("Tab");
    const { name: now, role } = await focused(page);
    if (role !== "nothing") await looksFocused(page);
    if (now === name) return;
    passed.push(`${now} (${role})`);
  }
  assert.fail(`${name} is not reached by the Tab key, only ${passed.join(", ")}`);
}

/** Whoever looks at the page can tell what has the focus: it, or what stands for it, looks different from when it has not. */
export async function looksFocused(page: Page): Promise<void> {
  const [withFocus, without, inSight] = await page.evaluate(async () => {
    /** A border on its way from one colour to another is neither: what moves is brought to its end. */
    const stillness = async () => {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      for (const animation of document.getAnimations()) {
        if (animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY) animation.finish();
      }
    };
    const it = document.activeElement as HTMLElement;
    const looks = () =>
      [
        it,
        it.parentElement,
        it.nextElementSibling,
        it.closest("label"),
        it.closest("label")?.firstElementChild,
      ]
        .filter((each) => each instanceof Element)
        .map((each) => {
          const { outline, outlineWidth, outlineStyle, borderColor, boxShadow, clipPath, top } =
            getComputedStyle(each);
          const ring = outlineStyle === "none" || outlineWidth === "0px" ? "" : outline;
          return [ring, borderColor, boxShadow, clipPath, top].join(";");
        })
        .join("|");
    await stillness();
    const here = looks();
    const { top, bottom } = it.getBoundingClientRect();
    it.blur();
    await stillness();
    const away = looks();
    it.focus({ preventScroll: true });
    return [here, away, bottom > 0 && top < innerHeight] as const;
  });
  const { name, role } = await focused(page);
  assert.notEqual(withFocus, without, `${role} "${name}" looks no different with the focus`);
  assert.ok(inSight, `${role} "${name}" has the focus out of sight`);
}

/** Through the whole page with the Tab key: everything that can be used is reached, shows it, and lets go again. */
export async function reachesEverything(page: Page, { most = 250 } = {}): Promise<void> {
  const wanted = await page.evaluate(() => {
    (document.activeElement as HTMLElement | null)?.blur();
    const usable = "a[href], button, input, select, textarea, summary, [tabindex], [contenteditable=true]";
    const groups = new Set<string>();
    let count = 0;
    for (const it of document.querySelectorAll<HTMLElement>(usable)) {
      const isOff = it.matches(":disabled, [tabindex='-1'], [inert] *, [type=hidden]");
      if (isOff || !it.checkVisibility({ visibilityProperty: true })) continue;
      // Of choices that exclude each other the Tab key reaches one; arrow keys reach the others.
      const group = it.matches("[type=radio]") ? (it as HTMLInputElement).name : undefined;
      if (group !== undefined && groups.has(group)) continue;
      if (group !== undefined) groups.add(group);
      it.dataset.wanted = group ?? String(count);
      count++;
    }
    return count;
  });
  for (let i = 0; i < most; i++) {
    await page.keyboard.press("Tab");
    const { role } = await focused(page);
    const { isOver, isNew } = await page.evaluate(() => {
      const it = document.activeElement as HTMLElement | null;
      const name = it?.matches("[type=radio]") ? (it as HTMLInputElement).name : undefined;
      const marked = name === undefined ? it : document.querySelector<HTMLElement>(`[data-wanted="${name}"]`);
      delete marked?.dataset.wanted;
      // What frames the pages is the same on each of them; and the parts of a time are one control.
      const isNew = it?.closest("main, [role=dialog]") !== null && it?.dataset.looked === undefined;
      if (it) it.dataset.looked = "";
      return { isOver: !it || it === document.body, isNew };
    });
    if (isOver && i > 0) break;
    if (role !== "nothing" && isNew) await looksFocused(page);
  }
  const missed = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("[data-wanted]")].map(
      (it) => `${it.tagName} ${it.getAttribute("aria-label") ?? it.textContent}`,
    ),
  );
  assert.deepEqual(missed, [], `${page.url()}: of ${wanted} controls these are not reached by the Tab key`);
}
