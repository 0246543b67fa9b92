import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { PAGE_LIMIT_MS, startChromium } from "@frontdesk/testkit/chromium";
import { debianProgram } from "@frontdesk/testkit/debian";
import { managerDesk } from "../services/lease/manager/test/manager-desk.ts";
import { closeMessages, complaintsOf, fits, readable } from "./console-journey.ts";
import { routed, unrouted } from "./routed.ts";

const PHONE = { width: 320, height: 740 };
const DESK = { width: 1280, height: 900 };

/** A person in front of the lease console, whose browser trusts the manager's authority; undefined without a browser. */
export async function leaseJourney(t: TestContext, options?: { readonly subnet: string }) {
  const desk = await managerDesk(t, {}, options);
  const certutil = debianProgram(t, "certutil", "libnss3-tools");
  if (!certutil || !debianProgram(t, "ip", "iproute2")) return undefined;
  const store = join(desk.home, ".pki/nssdb");
  mkdirSync(store, { recursive: true });
  execFileSync(certutil, ["-d", `sql:${store}`, "-N", "--empty-password"]);
  const authority = join(desk.home, "lease/tls/ca.crt");
  execFileSync(certutil, ["-d", `sql:${store}`, "-A", "-n", "lease", "-t", "C,,", "-i", authority]);
  const browser = await startChromium(t, { env: { HOME: desk.home } });
  if (!browser) return undefined;
  const context = await browser.newContext({
    viewport: DESK,
    colorScheme: "light",
    reducedMotion: "reduce",
    acceptDownloads: true,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  const complaints = complaintsOf(page);
  let broken = false;
  const press = (name: string | RegExp) =>
    page.getByRole("button", { name, exact: typeof name === "string" }).click();
  const dialog = page.getByRole("dialog");
  return {
    desk,
    page,
    dialog,
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
    inDialog: (name: string) => dialog.getByRole("button", { name, exact: true }).click(),
    told: (words: string | RegExp) => page.getByText(words).first().waitFor(),
    section: (name: string) => page.getByRole("region", { name, exact: true }),
    /** To another page, by the menu. */
    go: async (name: string) => {
      await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true }).click();
      await page.getByRole("heading", { level: 1, name }).waitFor();
    },
    signIn: async (username: string, password: string) => {
      await page.getByLabel("User name").fill(username);
      await page.getByLabel("Password", { exact: true }).fill(password);
      await press("Sign in");
      await page.getByRole("navigation", { name: "Pages" }).waitFor();
    },
    signOut: async () => {
      await press("Sign out");
      await page.getByRole("heading", { level: 1, name: "Sign in", exact: true }).waitFor();
      await page.getByLabel("User name").waitFor();
    },
    closeDialog: async () => {
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    },
    onAPhone: async () => {
      await page.setViewportSize(PHONE);
      await fits(page);
      await readable(page);
      await page.setViewportSize(DESK);
    },
    /** Without the engine, whatever asks it is refused: that is not for the browser to complain of. */
    withoutEngine: async (take: () => Promise<void>) => {
      const before = complaints.length;
      await take();
      const others = complaints.splice(before).filter((words) => !/status of 503/.test(words));
      complaints.push(...others);
    },
    /** Holds what the page asks by this method and path until the answer is called. */
    hold: async (method: string, path: RegExp) => {
      const { promise: isLetGo, resolve } = Promise.withResolvers<void>();
      const isHeld = (url: URL) => path.test(url.pathname);
      const asked = page.waitForRequest((sent) => sent.method() === method && isHeld(new URL(sent.url())));
      // Not everybody waits for it.
      asked.catch(() => {});
      await routed(page, isHeld, async (route) => {
        if (route.request().method() === method) await isLetGo;
        await route.fallback();
      });
      return {
        asked,
        letGo: async () => {
          resolve();
          await unrouted(page, isHeld);
        },
      };
    },
    /** No script error and no refused resource, all the way. */
    nothingToComplain: () => assert.deepEqual(complaints, []),
  };
}
