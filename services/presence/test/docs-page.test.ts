import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { accessibilityProblems } from "@frontdesk/testkit/accessibility";
import { PAGE_LIMIT_MS, startChromium } from "@frontdesk/testkit/chromium";
import type { Locator, Page } from "playwright-core";
import { ANNA, anyEngine, type DeskUnderTest, deskUnderTest } from "./desk-under-test.ts";
import { lastInFirstOut } from "./last-in-first-out.ts";

const LOOKS = [
  { name: "light, on a telephone", colorScheme: "light", viewport: { width: 360, height: 740 } },
  { name: "dark, at a desk", colorScheme: "dark", viewport: { width: 1280, height: 900 } },
] as const;
/** One operation of each method that has a body or a condition. */
const OPENED = ["setStatus", "setExternalRef", "updateTodo", "deleteTodo"];

const textOf = async (place: Locator) => (await place.textContent()) ?? "";
const operation = (page: Page, id: string) => page.locator(`.opblock[id$="-${id}"]`);

async function open(page: Page, id: string): Promise<Locator> {
  const entry = operation(page, id);
  await entry.locator(".opblock-summary-control").click();
  await entry.locator(".opblock-body").waitFor();
  return entry;
}

async function listening(desk: DeskUnderTest): Promise<string> {
  await desk.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = desk.app.server.address() as { port: number };
  return `http://127.0.0.1:${port}`;
}

test("the docs page is readable in a browser, light and dark, wide and narrow, and says what each endpoint needs", async (t) => {
  const browser = await startChromium(t);
  if (!browser) return;
  const desk = await deskUnderTest(t, anyEngine);
  const url = await listening(desk);
  const document = (await desk.app.inject("/api/v1/external/openapi.json")).json();
  const operations = Object.entries(document.paths as Record<string, Record<string, { operationId: string }>>)
    .filter(([path]) => path.startsWith("/api/"))
    .flatMap(([, verbs]) => Object.values(verbs));

  for (const { name, ...look } of LOOKS) {
    const page = await browser.newPage(look);
    page.setDefaultTimeout(PAGE_LIMIT_MS);
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    const reply = await page.goto(`${url}/docs`);
    const policy = (await reply?.headerValue("content-security-policy")) ?? "";
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.doesNotMatch(policy, /unsafe/);
    for (const id of OPENED) await open(page, id);
    const wrong = await page.evaluate(() =>
      [...document.querySelectorAll("body *")]
        .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
        .map((element) => element.outerHTML.slice(0, 80)),
    );
    assert.deepEqual(wrong, [], `nothing sticks out, ${name}`);
    const problems = await accessibilityProblems(page, { onlyColours: look.colorScheme === "dark" });
    assert.deepEqual(problems, [], name);
    assert.deepEqual(complaints, [], name);
    await page.close();
  }

  const page = await browser.newPage();
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  lastInFirstOut(t).after(() => page.close());
  await page.goto(`${url}/docs`);
  await operation(page, "listEvents").waitFor();
  for (const { operationId } of operations) {
    assert.ok(await operation(page, operationId).isVisible(), operationId);
  }
  const setRef = await open(page, "setExternalRef");
  assert.match(
    await textOf(setRef.locator(".opblock-description").first()),
    /^\s*Scope members:read and status:write, or members:read and todos:write\./,
    "several scopes are told as they are needed",
  );
  for (const type of Object.keys(document.webhooks)) {
    assert.ok(await page.locator(`.opblock-summary-path[data-path="${type}"]`).isVisible(), type);
  }

  const bodyOf = async (id: string) => {
    const example = operation(page, id).locator(".body-param__example").first();
    if (!(await example.isVisible())) await open(page, id);
    return JSON.parse(await textOf(example));
  };
  const token = await desk.token();
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

  // The type of a problem leads to the row that explains it, below endpoints that appear later.
  const problem = (await desk.call(token, "POST", `members/${ANNA}/status`, { status: "no" })).body;
  await page.goto("about:blank");
  await page.goto(problem.type.replace("http://presence.example", url));
  assert.match(await textOf(page.locator("tr:target")), /unknown_status\s*422\s*.*no such status/);
  await operation(page, "listEvents").waitFor();
  await page.waitForFunction(() => {
    const row = document.querySelector("tr:target")?.getBoundingClientRect();
    return row && row.top >= 0 && row.bottom <= innerHeight;
  });
});

test("the page's files are served compressed to whoever takes that; nothing else is", async (t) => {
  const desk = await deskUnderTest(t, anyEngine);
  const page = (await desk.app.inject("/docs")).body;
  const files = [...page.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, file]) => file ?? "");
  assert.equal(files.length, 4);
  for (const file of files) {
    const plain = await desk.app.inject(file);
    const packed = await desk.app.inject({ url: file, headers: { "accept-encoding": "gzip, br" } });
    assert.equal(plain.statusCode, 200, file);
    assert.equal(packed.headers["content-encoding"], "gzip");
    assert.ok(gunzipSync(packed.rawPayload).equals(plain.rawPayload), file);
    assert.match(String(plain.headers["content-type"]), /^text\/(css|javascript); charset=utf-8$/);
  }
  assert.equal((await desk.app.inject("/docs/package.json")).statusCode, 404);
});
