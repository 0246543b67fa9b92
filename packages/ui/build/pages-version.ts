import { createHash } from "node:crypto";
import type { Plugin } from "vite";

/**
 * Names in the page of a built console which build it is of. A document knows by this what it was loaded with, however
 * late it hears from a server: it may have come from a service worker, or from a copy that was upgraded since.
 */
export function pagesVersion(): Plugin {
  return {
    name: "pages-version",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (html, { bundle = {} }) => {
        // All other files are named by their content.
        const hash = createHash("sha256").update(html);
        for (const name of Object.keys(bundle).sort()) hash.update(`\0${name}`);
        const content = hash.digest("base64url").slice(0, 16);
        return [{ tag: "meta", attrs: { name: "pages-version", content }, injectTo: "head" }];
      },
    },
  };
}
