import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type HtmlTagDescriptor, normalizePath, type Plugin } from "vite";

const BELL = fileURLToPath(new URL("../src/bell.svg", import.meta.url));

const meta = (attrs: Record<string, string>): HtmlTagDescriptor => ({
  tag: "meta",
  attrs,
  injectTo: "head-prepend",
});
const themeColor = (scheme: "light" | "dark", content: string) =>
  meta({ name: "theme-color", content, media: `(prefers-color-scheme: ${scheme})` });

/** What every console's page has before its scripts run, so that their `index.html` say only what is their own. */
export function pageHead(): Plugin {
  return {
    name: "page-head",
    transformIndexHtml: {
      // Before the bundler looks for what the page refers to, so that the icon gets its hashed name.
      order: "pre",
      handler: (html, { filename }) => ({
        // Seen as soon as the styles are there, long before the scripts are.
        html: html.replace('<div id="root"></div>', '<div id="root"><p class="fd-begin">Frontdesk</p></div>'),
        tags: [
          meta({ charset: "utf-8" }),
          meta({ name: "viewport", content: "width=device-width, initial-scale=1" }),
          meta({ name: "color-scheme", content: "light dark" }),
          themeColor("light", "#f3f1ec"),
          themeColor("dark", "#141817"),
          {
            tag: "link",
            attrs: {
              rel: "icon",
              type: "image/svg+xml",
              href: normalizePath(relative(dirname(filename), BELL)),
            },
            injectTo: "head",
          },
        ],
      }),
    },
  };
}
