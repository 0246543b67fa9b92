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

/** All that the first words need: the page's colours, and a place in its middle. */
const FIRST_STYLES = `body{margin:0}
.fd-begin{display:grid;place-items:center;min-height:100dvh;margin:0;color:#68645c;font-family:system-ui,sans-serif}
@media (prefers-color-scheme:dark){.fd-begin{color:#a0aaa4;background:#181c1a}}`;
const FIRST_WORDS = '<div id="root"><p class="fd-begin">Frontdesk</p></div>';

/** What every console's page has before its scripts run, so that their `index.html` say only what is their own. */
export function pageHead(firstQuestions: readonly string[]): Plugin[] {
  return [head, stylesAhead, answersAhead(firstQuestions)];
}

const head: Plugin = {
  name: "page-head",
  transformIndexHtml: {
    // Before the bundler looks for what the page refers to, so that the icon gets its hashed name.
    order: "pre",
    handler: (html, { filename }) => ({
      html: html.replace('<div id="root"></div>', FIRST_WORDS),
      tags: [
        meta({ charset: "utf-8" }),
        meta({ name: "viewport", content: "width=device-width, initial-scale=1" }),
        meta({ name: "color-scheme", content: "light dark" }),
        themeColor("light", "#f3f1ec"),
        themeColor("dark", "#141817"),
        { tag: "style", children: FIRST_STYLES, injectTo: "head" },
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

/**
 * A browser shows nothing before the stylesheets of a page's head are there. Fetched ahead instead, they hold up nothing:
 * `startConsole` puts them to use, and shows nothing of its own without them. They stay where they are, before all that
 * is fetched later: among equals the last one wins.
 */
const stylesAhead: Plugin = {
  name: "styles-ahead",
  apply: "build",
  transformIndexHtml: {
    order: "post",
    handler: (html) => html.replaceAll('<link rel="stylesheet"', '<link rel="preload" as="style"'),
  },
};

/**
 * What the scripts ask the server first is asked beside them, and found by `fetch` when they run: one round trip less before
 * the first page. It is found only where it is asked for with no headers of its own.
 */
const answersAhead = (questions: readonly string[]): Plugin => ({
  name: "answers-ahead",
  apply: "build",
  transformIndexHtml: () =>
    questions.map((href) => ({
      tag: "link",
      attrs: { rel: "preload", as: "fetch", crossorigin: true, href },
      injectTo: "head",
    })),
});
