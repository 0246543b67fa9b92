import assert from "node:assert/strict";
import { test } from "node:test";
import { startChromium } from "@frontdesk/testkit/chromium";
import type { Locator, Page } from "playwright-core";
import { ANNA, deskUnderTest, ENGINES } from "./desk-under-test.ts";
import { lastInFirstOut } from "./last-in-first-out.ts";

const SIZES = [
  { name: "a desk", width: 1280, height: 900 },
  { name: "a telephone", width: 360, height: 740 },
];

const textOf = async (place: Locator) => (await place.textContent()) ?? "";

/** The texts of a page that are hard to read against what is behind them, by WCAG's measure for small text. */
const faintTexts = (page: Page) =>
  page.evaluate(() => {
    // What the browser paints, whichever way the colour is written.
    const context = document
      .createElement("canvas")
      .getContext("2d", { willReadFrequently: true }) as CanvasRenderingContext2D;
    const paint = (color: string) => {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data];
    };
    const luminance = (rgb: number[]) =>
      [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => {
        const part = (rgb[i] ?? 0) / 255;
        return sum + weight * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
      }, 0);
    const behind = (element: Element | null): number[] => {
      if (!element) return [255, 255, 255];
      const color = paint(getComputedStyle(element).backgroundColor);
      return color[3] === 255 ? color : behind(element.parentElement);
    };
    const faint = new Set<string>();
    for (const element of document.querySelectorAll("body *")) {
      const own = [...element.childNodes].some(
        (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
      );
      if (!own) continue;
      const [a = 0, b = 0] = [luminance(paint(getComputedStyle(element).color)), luminance(behind(element))];
      const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (contrast < 4.5) faint.add(`${element.className || element.tagName} ${contrast.toFixed(2)}`);
    }
    return [...faint];
  });

test("the docs page is readable in a browser, light and dark, wide and narrow, and says what each endpoint needs", async (t) => {
  const browser = await startChromium(t);
  if (!browser) return;
  const desk = await deskUnderTest(t, ENGINES[0]?.database as (typeof ENGINES)[number]["database"]);
  await desk.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = desk.app.server.address() as { port: number };
  const document = (await desk.app.inject("/api/v1/external/openapi.json")).json();
  const operations = Object.entries(document.paths as Record<string, Record<string, { operationId: string }>>)
    .filter(([path]) => path.startsWith("/api/"))
    .flatMap(([, verbs]) => Object.values(verbs));

  for (const colorScheme of ["light", "dark"] as const) {
    for (const { name, width, height } of SIZES) {
      const where = `${colorScheme}, on ${name}`;
      const page = await browser.newPage({ colorScheme, viewport: { width, height } });
      const complaints: string[] = [];
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      await page.goto(`http://127.0.0.1:${port}/docs`);
      assert.equal(await page.locator("h1").textContent(), "Frontdesk Presence");
      assert.deepEqual(await faintTexts(page), [], where);
      const wrong: string[] = await page.evaluate(() => {
        for (const entry of document.querySelectorAll("details")) entry.open = true;
        return [...document.querySelectorAll("body *")]
          .filter(
            (element) => element.getBoundingClientRect().right > innerWidth + 1 && !element.closest("pre"),
          )
          .map((element) => element.outerHTML.slice(0, 80));
      });
      assert.deepEqual(wrong, [], `nothing sticks out, ${where}`);
      assert.deepEqual(await faintTexts(page), [], where);
      assert.deepEqual(complaints, [], where);
      await page.close();
    }
  }

  const page = await browser.newPage();
  lastInFirstOut(t).after(() => page.close());
  await page.goto(`http://127.0.0.1:${port}/docs`);
  for (const { operationId } of operations) {
    const entry = page.locator(`details[id="${operationId}"]`);
    assert.ok(!(await entry.locator("> div").isVisible()), operationId);
    await entry.locator("summary").click();
    assert.match(await textOf(entry.locator("> div")), /^Scope [a-z]+:(read|write)/, operationId);
  }
  const setRef = await textOf(page.locator("details#setExternalRef > div"));
  assert.match(
    setRef,
    /^Scope members:read and status:write, or members:read and todos:write/,
    "several scopes are told as they are needed",
  );
  for (const type of Object.keys(document.webhooks)) {
    assert.ok(await page.locator("summary", { hasText: type }).first().isVisible(), type);
  }

  // The page of a problem's type is at the row that explains it.
  const token = await desk.token();
  const problem = (await desk.call(token, "POST", `members/${ANNA}/status`, { status: "no" })).body;
  await page.goto(problem.type.replace("http://presence.example", `http://127.0.0.1:${port}`));
  assert.match(await textOf(page.locator("tr:target")), /unknown_status\s*422 .*no such status/);

  const bodyOf = async (id: string) => JSON.parse(await textOf(page.locator(`details[id="${id}"] pre`)));
  const { body: todo } = await desk.call(token, "POST", `members/${ANNA}/todos`, await bodyOf("createTodo"));
  assert.equal(todo.text, "Return the projector", "examples are requests that pass");
  for (const [id, method, path] of [
    ["setStatus", "POST", `members/${ANNA}/status`],
    ["setStatuses", "POST", "members/status:batch"],
    ["setExternalRef", "PUT", `members/${ANNA}/external-ref`],
    ["updateTodo", "PATCH", `todos/${todo.id}`],
  ] as const) {
    const reply = await desk.call(token, method, path, await bodyOf(id), { "if-match": "*" });
    assert.equal(reply.status, 200, `${id}: ${JSON.stringify(reply.body)}`);
  }
});
