import type { TestContext } from "node:test";
import { type Browser, chromium } from "playwright-core";
import { debianProgram } from "./debian.ts";

/** How long a page may take to show something: only what hangs reaches it, however busy the machine is. */
export const PAGE_LIMIT_MS = 60_000;

/** Chromium without the browser around the page, which only costs time where nobody looks. */
const SHELL = "chromium-headless-shell";

/** Chromium as a quiet guest: no sandbox under root, no calls home. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // A page lives for seconds here: what it would gain by the best code costs more to compile.
  "--js-flags=--no-opt",
];

/** A real Chromium, closed when the test ends; undefined where there is none and none can be installed. */
export async function startChromium(
  t: Pick<TestContext, "skip" | "after">,
  options: { readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Browser | undefined> {
  const executablePath = debianProgram(t, SHELL, SHELL);
  if (!executablePath) return undefined;
  const browser = await chromium.launch({
    executablePath,
    args: [...FLAGS, ...(options.args ?? [])],
    env: { ...(process.env as Record<string, string>), ...options.env },
  });
  t.after(() => browser.close());
  return browser;
}
