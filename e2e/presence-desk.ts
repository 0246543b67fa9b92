import assert from "node:assert/strict";
import { cpSync, globSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { PAGE_LIMIT_MS, startChromium } from "@frontdesk/testkit/chromium";
import { freePort } from "@frontdesk/testkit/free-port";
import { serviceProcess } from "@frontdesk/testkit/service-process";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import type { BrowserContextOptions } from "playwright-core";
import { avatarDesk, newestCode } from "./avatar-desk.ts";
import { closeMessages, complaintsOf, fits, readable } from "./console-journey.ts";

const SERVICE = fileURLToPath(new URL("../services/presence", import.meta.url));
const ADMIN = "ada@example.org";
export const ORG = "example-sons";
const PHONE = { width: 320, height: 780 };
const DESK = { width: 1400, height: 900 };

/** Where it is day now: there an end in two hours is one of today, at whatever hour this runs. */
function zoneByDay() {
  const hourIn = (timeZone: string) =>
    Number(new Intl.DateTimeFormat("en", { hour: "numeric", hourCycle: "h23", timeZone }).format());
  const isDay = (zone: string) => hourIn(zone) >= 6 && hourIn(zone) < 18;
  return ["Europe/Berlin", "America/Los_Angeles"].find(isDay) ?? "Asia/Tokyo";
}

const ZONE = zoneByDay();

/** The service beside pages of its own, so that those can be upgraded while other tests use the ones that were built. */
function withOwnPages(folder: string) {
  const dist = join(folder, "webapp/dist");
  cpSync(join(SERVICE, "webapp/dist"), dist, { recursive: true });
  symlinkSync(join(SERVICE, "src"), join(folder, "src"));
  symlinkSync(join(SERVICE, "../../node_modules"), join(folder, "node_modules"));
  return {
    main: join(folder, "src/main.ts"),
    settings: { NODE_OPTIONS: "--preserve-symlinks-main" },
    /**
     * What a new version does: every script has another name, by which the others call it, the old ones are gone, and the
     * document says that it is of another build.
     */
    upgrade: () => {
      const files = globSync("**/*.{js,html,br,gz}", { cwd: dist });
      const scripts = files
        .filter((file) => /^assets.*\.js$/.test(file))
        .map((file) => basename(file, ".js"));
      for (const file of files) {
        const before = join(dist, file);
        const text = readFileSync(before, "utf8");
        rmSync(before);
        if (/\.(br|gz)$/.test(file)) continue;
        const named = scripts
          .reduce((so, name) => so.replaceAll(`${name}.js`, `${name}-upgraded.js`), text)
          .replace(/(<meta name="pages-version" content=")/, "$1upgraded-");
        const isScript = scripts.includes(basename(file, ".js"));
        writeFileSync(isScript ? before.replace(/\.js$/, "-upgraded.js") : before, named);
      }
    },
  };
}

/** The presence service as `npm start` runs it, with an avatar service that draws its faces. */
export async function presenceDesk(t: Pick<TestContext, "after">) {
  const home = temporaryHome(t);
  const pages = withOwnPages(temporaryHome(t));
  const { mediaUrl } = await avatarDesk(t);
  const port = await freePort();
  const settings = {
    FRONTDESK_HOME: home,
    PRESENCE_LISTEN: `127.0.0.1:${port}`,
    PRESENCE_AVATAR_URL: mediaUrl,
    PRESENCE_WEBHOOK_ALLOW: "127.0.0.1",
    ...pages.settings,
  };
  const url = `http://127.0.0.1:${port}`;
  const start = async () => {
    const service = serviceProcess(t, pages.main, settings);
    const { problem, ready } = await service.started;
    if (problem) throw new Error(`${problem}\n${service.output()}`);
    return { service, rows: new Map(ready) };
  };
  let running = await start();
  const codeFor = (address: string) => newestCode(join(home, "presence/outbox"), address);
  const send = async (method: string, path: string, cookie: string, body?: object, more: object = {}) => {
    const response = await fetch(`${url}/api/v1/app${path}`, {
      method,
      headers: { origin: url, cookie, ...(body ? { "content-type": "application/json" } : {}), ...more },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return { cookies: response.headers.getSetCookie(), reply: text === "" ? undefined : JSON.parse(text) };
  };
  return {
    url,
    codeFor,
    /** The one-time link of the first start. */
    firstRunLink: () => /http\S+/.exec(running.rows.get("begin") ?? "")?.[0] ?? "",
    stop: async () => {
      running.service.child.kill("SIGTERM");
      await running.service.ended;
    },
    start: async () => {
      running = await start();
    },
    upgradePages: pages.upgrade,
    /** Signs somebody in without a browser; answers with how they ask, under the organisation, and their cookies. */
    as: async (email: string) => {
      await send("POST", "/auth/code", "", { email });
      const { cookies } = await send("POST", "/auth/verify", "", { email, code: codeFor(email) });
      const pairs = cookies.map((cookie) => cookie.split(";")[0] ?? "");
      const ask = async (method: string, path: string, body?: object, headers?: object) =>
        (await send(method, `/orgs/${ORG}${path}`, pairs.join("; "), body, headers)).reply;
      const jar = pairs.map((pair) => {
        const at = pair.indexOf("=");
        return { name: pair.slice(0, at), value: pair.slice(at + 1), url };
      });
      return { ask, jar };
    },
    /** The organisation without the page that makes it. */
    makeOrganisation: async (link: string) => {
      const json = {
        secret: link.split("#")[1],
        name: "Example & Sons",
        email: ADMIN,
        yourName: "Ada Lovelace",
      };
      await send("POST", "/first-run", "", {
        ...json,
        defaultStatus: "available",
        timeZone: ZONE,
      });
    },
  };
}

export type PresenceDesk = Awaited<ReturnType<typeof presenceDesk>>;

/** Somebody in front of the web app, at a desk and on a phone; undefined without a browser. */
export async function presenceJourney(t: TestContext) {
  const desk = await presenceDesk(t);
  const browser = await startChromium(t);
  if (!browser) return undefined;
  const complaints: string[][] = [];
  const newPage = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({
      viewport: DESK,
      colorScheme: "light",
      reducedMotion: "reduce",
      timezoneId: ZONE,
      locale: "en-GB",
      permissions: ["clipboard-read", "clipboard-write"],
      ...options,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PAGE_LIMIT_MS);
    complaints.push(complaintsOf(page));
    return page;
  };
  const page = await newPage();
  let broken = false;
  const press = (name: string | RegExp) =>
    page.getByRole("button", { name, exact: typeof name === "string" }).click();
  const dialog = page.getByRole("dialog");
  return {
    desk,
    page,
    newPage,
    dialog,
    press,
    inDialog: (name: string) => dialog.getByRole("button", { name, exact: true }).click(),
    told: (words: string | RegExp) => page.getByText(words).first().waitFor(),
    section: (name: string) => page.getByRole("region", { name, exact: true }),
    closeDialog: async () => {
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    },
    /** To another page, by the menu. */
    go: async (name: string) => {
      await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true }).click();
      await page.getByRole("heading", { level: 1, name }).waitFor();
    },
    /** In a browser of their own, on the board. */
    arrives: async (email: string, path = "/board") => {
      const own = await newPage();
      await own.context().addCookies((await desk.as(email)).jar);
      await own.goto(`${desk.url}/${ORG}${path}`);
      return own;
    },
    /** Axe has nothing against the page, light and dark, at a desk and on a phone, and nothing is wider than the phone. */
    seen: async () => {
      await readable(page);
      await page.setViewportSize(PHONE);
      await fits(page);
      await readable(page);
      await page.setViewportSize(DESK);
    },
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
    /** No script error and no refused resource, all the way. */
    nothingToComplain: () => assert.deepEqual(complaints.flat(), []),
  };
}

export { ADMIN };
