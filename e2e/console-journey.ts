import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { TestContext } from "node:test";
import { accessibilityProblems } from "@frontdesk/testkit/accessibility";
import { PAGE_LIMIT_MS, startChromium } from "@frontdesk/testkit/chromium";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { checkedFetch, checkOf } from "../services/avatar/test/openapi-check.ts";
import { avatarDesk } from "./avatar-desk.ts";

export const ADA = "ada@example.org";
export const hashOf = (email: string) => createHash("sha256").update(email).digest("hex");

/** A person in front of the console: a real browser on the real service. Undefined where there is no browser. */
export async function consoleJourney(t: TestContext, env: Record<string, string> = {}) {
  const desk = await avatarDesk(t, env);
  const browser = await startChromium(t);
  if (!browser) return undefined;
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme: "light",
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  const complaints = complaintsOf(page);
  const replies = heldAgainstDocuments(context, [desk.consoleUrl, desk.mediaUrl]);
  let broken = false;
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  /** Has a code mailed to an address; answers with it when the page asks for it. */
  const askForCode = async (email: string) => {
    await page.getByLabel("E-mail address").fill(email);
    await press("Mail me a code");
    await page.getByLabel("Code from the mail").waitFor();
    return desk.newestCode(email);
  };
  return {
    desk,
    context,
    page,
    press,
    /** One step of the way; where one fails, those behind it cannot be gone. */
    step: async (name: string, take: () => Promise<void>) => {
      if (broken) return;
      broken = true;
      await t.test(name, async () => {
        await closeMessages(page);
        await take();
        broken = false;
      });
    },
    /** To another page, by the menu. */
    go: async (name: string) => {
      await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true }).click();
      await page.getByRole("heading", { level: 1 }).waitFor();
    },
    told: (words: string | RegExp) => page.getByText(words).first().waitFor(),
    askForCode,
    signIn: async () => {
      await page.goto(desk.consoleUrl);
      await page.getByLabel("Code from the mail").fill(await askForCode(ADA));
      await press("Sign in");
      await page.getByRole("heading", { level: 1, name: "Your face" }).waitFor();
    },
    /** What anybody gets who asks for the face of an address. */
    face: async (email = ADA, query = "s=64") => {
      const response = await checkedFetch(`${desk.mediaUrl}/${hashOf(email)}?${query}`);
      return { type: response.headers.get("content-type"), bytes: Buffer.from(await response.arrayBuffer()) };
    },
    /** No script error, no refused resource, and no reply that the OpenAPI document does not foretell, all the way. */
    nothingToComplain: async () => {
      assert.deepEqual(complaints, []);
      const { seen, wrong } = await replies();
      assert.deepEqual(wrong, []);
      assert.ok(seen > 20, `only ${seen} replies were held against the document`);
    },
  };
}

/** Holds what the servers answer to the browser against what they say that they would. */
function heldAgainstDocuments(context: BrowserContext, origins: readonly string[]) {
  const judged: Array<Promise<string | undefined>> = [];
  context.on("response", (response) => {
    const { protocol, origin, pathname, search } = new URL(response.url());
    // A blob has the origin of its page too, and comes from no server.
    if (protocol !== "http:" || !origins.includes(origin)) return;
    const judge = async () => {
      const [check, headers] = await Promise.all([checkOf(origin), response.allHeaders()]);
      // Gone with the page that asked, or never sent: a redirect.
      const body = await response.body().catch(() => undefined);
      const [method, status] = [response.request().method(), response.status()];
      check({ method, path: pathname + search, status, header: (name) => headers[name.toLowerCase()], body });
    };
    judged.push(
      judge().then(
        () => undefined,
        (error: Error) => (/has been closed/.test(error.message) ? undefined : error.message),
      ),
    );
  });
  return async () => {
    const said = await Promise.all(judged);
    return { seen: said.length, wrong: said.filter((words) => words !== undefined) };
  };
}

/** Waits until the page has everything it wants to show. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      !document.querySelector("[aria-busy=true], .mantine-Loader-root") &&
      [...document.images].every((image) => image.complete),
  );
}

/** What the browser itself has to say; refusals that the test asks for, and requests that it blocks, are none of it. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !/status of 4\d\d|ERR_BLOCKED_BY_CLIENT/.test(message.text()))
      complaints.push(message.text());
  });
  return complaints;
}

/** Axe has nothing against the page, once it is drawn, in the light and in the dark. */
export async function readable(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor({ state: "attached" });
  const now = await page.evaluate(() =>
    matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
  );
  const other = now === "dark" ? "light" : "dark";
  const where = `${page.url()}, ${page.viewportSize()?.width} pixels wide, in the`;
  assert.deepEqual(await accessibilityProblems(page), [], `${where} ${now}`);
  await inColours(page, other);
  assert.deepEqual(await accessibilityProblems(page, { onlyColours: true }), [], `${where} ${other}`);
  await inColours(page, now);
}

/** Changes what the system prefers, and waits until the page has followed. */
async function inColours(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.waitForFunction(
    (wanted) => document.documentElement.getAttribute("data-mantine-color-scheme") === wanted,
    colorScheme,
  );
}

/** The page has its own font: until then words are as wide as another's. */
export async function hasFont(page: Page): Promise<void> {
  await page.evaluate(async () => void (await document.fonts.ready));
}

/** Nothing on the page is wider than the window. */
export async function fits(page: Page): Promise<void> {
  await hasFont(page);
  const [wanted, given] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.equal(wanted, given, `${page.url()} does not scroll sideways`);
  const cut = await page.locator("button, a").evaluateAll((found) =>
    found
      .flatMap((each) => [each, ...each.querySelectorAll("*")])
      .filter((each) => {
        const { overflowX, textOverflow } = getComputedStyle(each);
        // What nobody sees is a pixel wide; what ends in dots was meant to.
        const isCut = each.clientWidth > 1 && each.scrollWidth > each.clientWidth + 1;
        return isCut && overflowX !== "visible" && textOverflow !== "ellipsis" && each.textContent?.trim();
      })
      .map((each) => each.textContent),
  );
  assert.deepEqual(cut, [], `${page.url()} cuts off no words of its buttons and links`);
  const drawnWrongly = await page.locator(".mantine-Button-root").evaluateAll((buttons) =>
    buttons
      .map((button) => ({ button, label: button.querySelector(".mantine-Button-label") }))
      .filter(({ button, label }) => {
        if (!label || button.clientHeight === 0) return false;
        const middleOf = (each: Element) => {
          const { top, bottom } = each.getBoundingClientRect();
          return (top + bottom) / 2;
        };
        const { lineHeight, fontSize } = getComputedStyle(label);
        const hasRoom = Number.parseFloat(lineHeight) >= 1.2 * Number.parseFloat(fontSize);
        return !hasRoom || Math.abs(middleOf(label) - middleOf(button)) > 1.5;
      })
      .map(({ button }) => button.textContent),
  );
  assert.deepEqual(drawnWrongly, [], `${page.url()} has the words of its buttons whole, and in their middle`);
  const outside = await page.locator(".mantine-Alert-root").evaluateAll((alerts) =>
    alerts
      .filter((alert) => {
        const { right } = alert.getBoundingClientRect();
        return [...alert.querySelectorAll("*")].some((each) => each.getBoundingClientRect().right > right);
      })
      .map((alert) => alert.textContent),
  );
  assert.deepEqual(outside, [], `${page.url()} has all of its alerts inside of them`);
}

/** Does something and answers with the picture's new address once it has one. */
export async function changes(picture: Locator, act: () => Promise<unknown>): Promise<string> {
  const before = await picture.getAttribute("src");
  await act();
  const image = await picture.elementHandle();
  await picture
    .page()
    .waitForFunction(([img, src]) => img?.getAttribute("src") !== src, [image, before] as const);
  return (await picture.getAttribute("src")) ?? "";
}

/** Closes all messages, also those that are about to go by themselves, and one that comes meanwhile. */
export async function closeMessages(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const buttons = document.querySelectorAll<HTMLButtonElement>('button[aria-label="Close this message"]');
    for (const button of buttons) button.click();
    return buttons.length === 0;
  });
}
