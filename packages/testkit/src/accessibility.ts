import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: ReadonlyArray<{
    readonly target: readonly unknown[];
    readonly html: string;
    readonly failureSummary?: string;
  }>;
}

interface Axe {
  run(options: { resultTypes: string[]; runOnly?: string[] }): Promise<{ violations: Violation[] }>;
}

/**
 * What axe finds wrong with the page as it is shown now, a sentence each; nothing when all is well.
 * It runs beside the page's own scripts, past the page's content security policy. Where only the colours
 * have changed since it was asked last, only they need to be looked at.
 */
export async function accessibilityProblems(page: Page, { onlyColours = false } = {}): Promise<string[]> {
  await stillness(page);
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  const violations = await page.evaluate(
    async (options) => {
      const { axe } = globalThis as unknown as { axe: Axe };
      return (await axe.run(options)).violations;
    },
    {
      // A third of its time goes into telling where all is well.
      resultTypes: ["violations"],
      ...(onlyColours ? { runOnly: ["color-contrast", "link-in-text-block"] } : {}),
    },
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ target, html, failureSummary }) =>
        `${id}: ${help}: ${target.join(" ")} ${html}: ${failureSummary ?? ""}`,
    ),
  );
}

/** A colour on its way from one to another is neither: what moves and will come to an end is brought there. */
async function stillness(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    await frame();
    await frame();
    for (const animation of document.getAnimations()) {
      if (animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY) animation.finish();
    }
  });
}
