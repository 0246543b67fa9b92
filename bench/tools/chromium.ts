import { debianPrograms } from "@frontdesk/testkit/debian";
import { type Browser, chromium } from "playwright-core";

/** The whole browser, as people have it: found, or installed from Debian's packages by root. */
export function chromiumPath(): string {
  const found = debianPrograms({ chromium: "chromium" });
  if ("missing" in found) throw new Error(`Chromium cannot be installed: ${found.missing}.`);
  return found.paths.chromium;
}

/** That browser, without calls home. */
export function launchChromium(...more: string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath(),
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", ...more],
  });
}
