import assert from "node:assert/strict";
import { test } from "node:test";
import { until, untilEqual } from "@frontdesk/testkit/until";
import type { Route } from "playwright-core";
import { hashOf, readable, settled } from "./console-journey.ts";
import { reachesEverything, tabTo } from "./keyboard.ts";
import { keepPicture } from "./pictures.ts";
import { ADMIN, ORG, presenceJourney } from "./presence-desk.ts";
import { routed, unrouted } from "./routed.ts";

const BEN = "ben@example.org";

test("presence: my status, TODOs, projects and share links", async (t) => {
  const journey = await presenceJourney(t);
  if (!journey) return;
  const { desk, page, newPage, dialog, step, press, inDialog, told, section, go, seen, closeDialog } =
    journey;
  await desk.makeOrganisation(desk.firstRunLink());
  const ada = await desk.as(ADMIN);
  await ada.ask("POST", "/invitations", { emails: [BEN], role: "reception" });
  const ben = await desk.as(BEN);
  await ben.ask("PATCH", "/me", { name: "Ben" });
  await page.context().addCookies(ada.jar);
  const todos = page.getByRole("list", { name: "The order of your TODOs" });
  const order = async (wanted: string[]) => {
    await page.waitForFunction(
      ([expected]) => {
        const list = document.querySelector('[aria-label="The order of your TODOs"]');
        const words = [...(list?.children ?? [])].map((item) => item.textContent);
        return expected?.length === words.length && expected.every((each, at) => words[at]?.includes(each));
      },
      [wanted],
    );
  };

  await step("in a browser whose clock is wrong what ends does so by the server's", async () => {
    const wrong = await newPage();
    await wrong.addInitScript(() => {
      const { now } = Date;
      Date.now = () => now() + 40 * 86_400_000;
    });
    await wrong.context().addCookies(ada.jar);
    const endOf = async (shown: typeof page) => shown.getByText(/^Ends /).textContent();
    for (const shown of [page, wrong]) {
      await shown.goto(`${desk.url}/${ORG}/me`);
      await shown.getByLabel("Status", { exact: true }).selectOption("focus");
      await shown.getByRole("button", { name: "2 h", exact: true }).click();
    }
    await until("both say the same", async () => (await endOf(page)) === (await endOf(wrong)));
    await wrong.goto(`${desk.url}/${ORG}/share-links`);
    await wrong.getByLabel("Name", { exact: true }).fill("For a month");
    await wrong.getByRole("button", { name: "Make the link" }).click();
    await wrong.getByRole("button", { name: "I have kept it" }).click();
    const [link] = (await ada.ask("GET", "/share-links")).data;
    assert.equal(Math.round((Date.parse(link.expiresAt) - Date.now()) / 86_400_000), 30);
    const goesOn = (name: string) =>
      until(`${name} has not ended`, async () => {
        const row = await wrong.getByRole("row").filter({ hasText: name }).textContent();
        return row !== null && !row.includes("Has ended");
      });
    await goesOn("For a month");
    await ada.ask("POST", "/invitations", { emails: ["zoe@example.org"], role: "member" });
    await wrong.goto(`${desk.url}/${ORG}/admin/members`);
    await goesOn("zoe@example.org");
    await ada.ask("DELETE", `/share-links/${link.id}`);
    await wrong.context().close();
  });

  await step("a status for another time, with a note, is taken back in one click", async () => {
    await page.goto(`${desk.url}/${ORG}/me`);
    await page.getByLabel("Status", { exact: true }).selectOption("focus");
    await press("2 h");
    // In the evening that is another day, which is named first.
    await told(/^Ends .*\d\d:\d\d/);
    await page.getByLabel("Note", { exact: true }).fill("Only if it burns");
    await press("Set it");
    await told(/^Focus, until /);
    await section("Now").getByText("Only if it burns").waitFor();
    await seen();
    await keepPicture(page, "presence-my-status");
    await press("Undo the last change");
    await section("Now").getByText("Only if it burns").waitFor({ state: "detached" });
    await section("Now").getByRole("button", { name: "Available", pressed: true }).waitFor();
  });

  await step("a weekly plan is made, changed and removed", async () => {
    await press("Plan a status");
    await dialog.getByLabel("Status").selectOption("remote");
    await dialog.getByText("Every week").click();
    await dialog.getByLabel("Day").selectOption("2");
    await readable(page);
    await inDialog("Plan a status");
    await told("Every Tuesday, 09:00 to 17:00");
    await press(/^Change Remote/);
    await dialog.getByLabel("To", { exact: true }).fill("13:00");
    await inDialog("Save");
    await told("Every Tuesday, 09:00 to 13:00");
    await press(/^Remove Remote/);
    await inDialog("Remove");
    await told("Nothing is planned");
  });

  await step(
    "a plan that begins, and is removed, while the page is open is seen to: what was typed into it stays",
    async () => {
      const [from, to] = [0, 7_200_000].map((later) => new Date(Date.now() + later).toISOString());
      const { id } = await ada.ask("POST", "/me/planned", { repeats: "never", status: "focus", from, to });
      await section("Planned").getByText("Has begun").waitFor();
      await press(/^Change Focus/);
      await dialog.getByLabel("Note").fill("Do not disturb");
      await ada.ask("DELETE", `/me/planned/${id}`);
      await section("Planned").getByText("Has begun").waitFor({ state: "detached" });
      await dialog.getByText("It is not in this list any more").waitFor();
      assert.equal(await dialog.getByLabel("Note").inputValue(), "Do not disturb", "what was typed stays");
      await inDialog("Save");
      await dialog.getByText("There is no such planned status.").waitFor();
      await closeDialog();
    },
  );

  await step("the calendar feed is read by another program", async () => {
    await press("Make an address");
    const address = (await dialog.locator("code").textContent()) ?? "";
    await inDialog("I have kept it");
    const feed = await fetch(address);
    assert.equal(feed.status, 200);
    assert.match(await feed.text(), /^BEGIN:VCALENDAR/);
    await press("Remove the address");
    await inDialog("Remove the address");
    await told("There is no address yet.");
    assert.equal((await fetch(address)).status, 404);
  });

  await step("reception sets somebody else's status, which says so", async () => {
    const bens = await newPage();
    await bens.context().addCookies(ben.jar);
    await bens.goto(`${desk.url}/${ORG}/board`);
    await bens
      .getByRole("button", { name: /^AL|Ada Lovelace/ })
      .first()
      .click();
    const hers = bens.getByRole("dialog");
    await hers.getByLabel("Status", { exact: true }).selectOption("sick");
    await hers.getByRole("button", { name: "Set it" }).click();
    await bens.getByRole("listitem").filter({ hasText: "Ada Lovelace" }).getByText("set by Ben").waitFor();
    await section("Now").getByText("Sick").first().waitFor();
    // A message that is pointed at does not go by itself.
    const offer = bens.getByRole("button", { name: "Undo", exact: true });
    await offer.hover();
    await section("Now").getByRole("button", { name: "Remote" }).click();
    await offer.waitFor({ state: "detached" });
    await bens.getByRole("listitem").filter({ hasText: "Ada Lovelace" }).getByText("Remote").waitFor();
    await ada.ask("PUT", "/me/status", { status: "sick" });
    await bens.context().close();
  });

  await step("N adds from anywhere, Enter keeps adding, pasted lines become one each", async () => {
    await ada.ask("POST", "/projects", { name: "Summer fair" });
    await page.goto(`${desk.url}/${ORG}/board`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("n");
    const field = dialog.getByLabel("Add a TODO");
    await field.pressSequentially("Order chairs #summer");
    await dialog.getByText("Goes to Summer fair").waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.type("Call the electrician");
    await page.keyboard.press("Enter");
    await readable(page);
    await closeDialog();
    await go("TODOs");
    await order(["Order chairs", "Call the electrician"]);
    await todos.getByRole("listitem").filter({ hasText: "Order chairs" }).getByText("Summer fair").waitFor();
    await page.getByLabel("Add a TODO").click();
    await page.evaluate(() => navigator.clipboard.writeText("- Book the van\n- Write the minutes\n"));
    await page.keyboard.press("Control+V");
    await order(["Order chairs", "Call the electrician", "Book the van", "Write the minutes"]);
  });

  await step(
    "the order is set by mouse, by menu and by keys, and is there again after a reload",
    async () => {
      const handle = (name: string) => todos.getByRole("button", { name: new RegExp(`^Move ${name}`) });
      const from = await handle("Write the minutes").boundingBox();
      const to = await handle("Order chairs").boundingBox();
      assert.ok(from && to);
      await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
      await page.mouse.down();
      await page.mouse.move(to.x + to.width / 2, to.y + 30, { steps: 10 });
      await page.mouse.move(to.x + to.width / 2, to.y - 4, { steps: 5 });
      await page.mouse.up();
      await order(["Write the minutes", "Order chairs", "Call the electrician", "Book the van"]);
      await handle("Book the van").focus();
      await page.keyboard.press("Alt+ArrowUp");
      await order(["Write the minutes", "Order chairs", "Book the van", "Call the electrician"]);
      await handle("Order chairs").click();
      // What is shown is ahead of what is stored.
      const stored = page.waitForResponse((response) => response.url().endsWith("/move"));
      await page.getByRole("menuitem", { name: "To the bottom" }).click();
      await stored;
      const wanted = ["Write the minutes", "Book the van", "Call the electrician", "Order chairs"];
      await order(wanted);
      await page.reload();
      await order(wanted);
      await seen();
      await keepPicture(page, "presence-todos");
    },
  );

  await step("the order is set by a finger, too", async () => {
    const phone = await newPage({ viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true });
    await phone.context().addCookies(ada.jar);
    await phone.goto(`${desk.url}/${ORG}/todos`);
    const place = async (name: string) => {
      const box = await phone.getByRole("button", { name: new RegExp(`^Move ${name}`) }).boundingBox();
      assert.ok(box);
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    };
    await phone.getByRole("button", { name: /^Move Order chairs/ }).scrollIntoViewIfNeeded();
    const [from, to] = [await place("Order chairs"), await place("Book the van")];
    const finger = await phone.context().newCDPSession(phone);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", y?: number) =>
      finger.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: y === undefined ? [] : [{ x: from.x, y }],
      });
    await touch("touchStart", from.y);
    for (let part = 1; part <= 15; part++)
      await touch("touchMove", from.y + ((to.y - 8 - from.y) * part) / 15);
    await touch("touchEnd");
    await order(["Write the minutes", "Order chairs", "Book the van", "Call the electrician"]);
    await phone.context().close();
    await todos.getByRole("button", { name: /^Move Order chairs/ }).click();
    await page.getByRole("menuitem", { name: "To the bottom" }).click();
    await order(["Write the minutes", "Book the van", "Call the electrician", "Order chairs"]);
  });

  await step("ticked, archived and brought back", async () => {
    await page.getByLabel("Done: Write the minutes").click();
    await section("Done").getByText("Write the minutes").waitFor();
    await press("More for Write the minutes");
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await told("Archived.");
    await section("Done").waitFor({ state: "detached" });
    await press("Undo");
    await section("Done").getByText("Write the minutes").waitFor();
  });

  await step("a conflict shows both texts, and either choice can be undone", async () => {
    const mine = async () =>
      (await ada.ask("GET", "/todos")).data.find((todo: { text: string }) => /van/.test(todo.text));
    const elsewhere = async (text: string, externalUrl: string) => {
      const { id, version } = await mine();
      const reply = await fetch(`${desk.url}/api/v1/app/orgs/${ORG}/todos/${id}`, {
        method: "PATCH",
        headers: {
          origin: desk.url,
          cookie: ada.jar.map(({ name, value }) => `${name}=${value}`).join("; "),
          "content-type": "application/json",
          "if-match": `"${id}-${version}"`,
        },
        body: JSON.stringify({ text, externalUrl }),
      });
      assert.equal(reply.status, 200);
    };
    const edit = async (text: string) => {
      await press(/^More for .*van/);
      await page.getByRole("menuitem", { name: "Edit" }).click();
      await dialog.getByLabel("Text").fill(text);
    };
    await edit("Book the large van");
    await elsewhere("Book the small van", "https://small.example/");
    const both = dialog.getByRole("table", { name: "What differs" });
    await both.getByText("Book the small van").waitFor();
    await both.getByText("Book the large van").waitFor();
    await readable(page);
    await inDialog("Take theirs");
    await todos.getByText("Book the small van").waitFor();
    await press("Undo");
    await todos.getByText("Book the large van").waitFor();
    assert.equal((await mine()).externalUrl, "https://small.example/", "what nobody changed here is theirs");
    await edit("Book the red van");
    await elsewhere("Book the blue van", "https://blue.example/");
    await both.getByText("Book the blue van").waitFor();
    await inDialog("Keep mine");
    await todos.getByText("Book the red van").waitFor();
    assert.equal((await mine()).externalUrl, "https://blue.example/");
    await press("Undo");
    await todos.getByText("Book the blue van").waitFor();
    assert.equal((await mine()).text, "Book the blue van");
  });

  await step("a TODO that is deleted elsewhere while it is edited leaves what was typed", async () => {
    const { data } = await ada.ask("POST", "/todos", { items: [{ text: "Fetch the ladder" }] });
    await press("More for Fetch the ladder");
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await dialog.getByLabel("Text").fill("Fetch the long ladder");
    await ada.ask("DELETE", `/todos/${data[0].id}`);
    await dialog.getByText("It is not in this list any more").waitFor();
    await untilEqual(() => dialog.getByLabel("Text").inputValue(), "Fetch the long ladder");
    await inDialog("Cancel");
    await dialog.waitFor({ state: "detached" });
  });

  await step(
    "a TODO that is deleted while it is ticked does not come back with the late answer",
    async () => {
      const { data } = await ada.ask("POST", "/todos", { items: [{ text: "Oil the hinges" }] });
      const late = Promise.withResolvers<void>();
      const stored = Promise.withResolvers<void>();
      const held = async (route: Route) => {
        const response = await route.fetch();
        stored.resolve();
        await late.promise;
        await route.fulfill({ response });
      };
      await routed(page, `**/todos/${data[0].id}`, held);
      await page.getByLabel("Done: Oil the hinges").click();
      await stored.promise;
      await ada.ask("DELETE", `/todos/${data[0].id}`);
      await page.getByText("Oil the hinges").waitFor({ state: "detached" });
      const answered = page.waitForResponse(/\/todos\/[^/]+$/);
      late.resolve();
      await (await answered).finished();
      await unrouted(page, `**/todos/${data[0].id}`);
      // What is told after the answer is shown after it.
      await ada.ask("POST", "/todos", { items: [{ text: "Paint the door" }] });
      await todos.getByText("Paint the door").waitFor();
      assert.equal(await page.getByText("Oil the hinges").count(), 0);
      await press("More for Paint the door");
      await page.getByRole("menuitem", { name: "Delete" }).click();
      await inDialog("Delete");
      await todos.getByText("Paint the door").waitFor({ state: "detached" });
    },
  );

  await step("projects are made, renamed, read and archived", async () => {
    await go("Projects");
    await page.getByLabel("Name", { exact: true }).fill("Move to the new office");
    await press("Make it");
    await told("Move to the new office is made.");
    await press("Rename Summer fair");
    await dialog.getByLabel("Name").fill("Winter fair");
    await inDialog("Save");
    await seen();
    await page.getByRole("link", { name: "Winter fair" }).click();
    await told("Order chairs");
    await readable(page);
    await press("More for Order chairs");
    await page.getByRole("menuitem", { name: "Edit" }).click();
    const chosen = dialog.getByLabel("Project").locator("option:checked");
    await untilEqual(() => chosen.textContent(), "Winter fair", "it can be moved from here");
    await inDialog("Cancel");
    await page.getByRole("link", { name: "Projects" }).first().click();
    await press("Archive Move to the new office");
    await page.getByRole("link", { name: "Move to the new office" }).waitFor({ state: "detached" });
  });

  await step(
    "a share link opens without a session, gives nothing away, and ends when it is revoked",
    async () => {
      await go("Share links");
      await page.getByLabel("Name", { exact: true }).fill("Screen in the lobby");
      await press("Make the link");
      const address = (await dialog.locator("code").textContent()) ?? "";
      await readable(page);
      await inDialog("I have kept it");
      const visitor = await newPage();
      const loaded: Array<Promise<string>> = [];
      visitor.on("response", (response) => {
        if (response.url().includes("/stream")) return;
        loaded.push(response.text().catch(() => ""));
      });
      const streamed = readStream(
        `${desk.url}/api/v1/app/shared/${address.split("/").at(-1)}/stream?after=0`,
      );
      await visitor.goto(address);
      const row = visitor.getByRole("listitem").filter({ hasText: "Ada Lovelace" });
      await row.getByText("Sick").waitFor();
      await ada.ask("PUT", "/me/status", { status: "remote", note: "A note for colleagues" });
      await row.getByText("Remote").waitFor();
      await readable(visitor);
      await visitor.setViewportSize({ width: 390, height: 780 });
      await readable(visitor);
      await until("the stream has told of it", () => /"status":"remote"/.test(streamed()));
      const all = [...(await Promise.all(loaded)), streamed()].join("\n");
      assert.match(all, /Ada Lovelace/);
      for (const secret of [ADMIN, BEN, hashOf(ADMIN), hashOf(BEN), "A note for colleagues"])
        assert.ok(!all.includes(secret), `${secret} is in what the page loaded`);
      const { data } = await ada.ask("GET", "/share-links");
      assert.ok(data[0].accessedAt, "the page told that it was opened");
      await seen();
      await keepPicture(page, "presence-share-links");
      await press("Revoke Screen in the lobby");
      await inDialog("Revoke");
      await visitor.getByRole("heading", { level: 1, name: "This link does not work" }).waitFor();
      await readable(visitor);
      await visitor.context().close();
    },
  );

  await step("a project and a wall are shared, too", async () => {
    const [{ project }] = (await ada.ask("GET", "/projects")).data;
    const open = async (link: object) => {
      const { url } = await ada.ask("POST", "/share-links", link);
      const visitor = await newPage({ viewport: { width: 1920, height: 1080 } });
      await visitor.goto(url);
      return visitor;
    };
    const shared = await open({ kind: "project", projectId: project.id, name: "Fair" });
    await shared.getByText("Order chairs").waitFor();
    await readable(shared);
    await shared.context().close();
    const wall = await open({ kind: "wall", name: "Wall" });
    await wall.getByText("Remote").waitFor();
    await readable(wall);
    assert.equal(await wall.getByRole("button").count(), 0, "a wall has no controls");
    await wall.context().close();
  });

  await step(
    "a shared board whose stream is refused shows what it has, and goes on when there is room",
    async () => {
      const { url } = await ada.ask("POST", "/share-links", { kind: "board", name: "Many screens" });
      // Not a page that is listened to: a refusal is an error in its log.
      const screen = await (await newPage()).context().newPage();
      let isFull = true;
      let refusals = 0;
      await routed(screen, "**/stream?*", async (route) => {
        if (!isFull) return route.continue();
        refusals++;
        await route.fulfill({ status: 429, headers: { "retry-after": "60" } });
      });
      await screen.goto(url);
      const row = screen.getByRole("listitem").filter({ hasText: "Ada Lovelace" });
      await screen.getByText(/^The server does not answer/).waitFor();
      await until("it was refused more than once", () => refusals > 1);
      await row.getByText("Remote").waitFor();
      isFull = false;
      await screen.getByText(/^The server does not answer/).waitFor({ state: "detached" });
      await ada.ask("PUT", "/me/status", { status: "in-office" });
      await row.getByText("In the office").waitFor();
      await screen.context().close();
    },
  );

  await step("by keyboard alone: a status is set, and a TODO is ticked", async () => {
    await page.goto(`${desk.url}/${ORG}/board`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await tabTo(page, "🎧Focus");
    await page.keyboard.press("Enter");
    await told(/^Focus, until /);
    await page.goto(`${desk.url}/${ORG}/todos`);
    await todos.waitFor();
    await tabTo(page, "Done: Call the electrician", { most: 60 });
    await page.keyboard.press("Space");
    await section("Done").getByText("Call the electrician").waitFor();
  });

  await step("by keyboard alone: everything on every page is reached, and shows that it is", async () => {
    const admin = ["members", "statuses", "integrations", "webhooks", "audit", "organisation"];
    const pages = ["board", "me", "todos", "projects", "share-links", "account", "help"];
    for (const path of [...pages, ...admin.map((name) => `admin/${name}`)]) {
      await page.goto(`${desk.url}/${ORG}/${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await settled(page);
      await reachesEverything(page);
    }
  });

  journey.nothingToComplain();
});

/** Everything that a stream says until the server ends it; answers with what has come. */
function readStream(url: string): () => string {
  let text = "";
  const read = async () => {
    const reply = await fetch(url);
    const decoder = new TextDecoder();
    for await (const chunk of reply.body ?? []) text += decoder.decode(chunk as Uint8Array, { stream: true });
  };
  void read().catch(() => {});
  return () => text;
}
