import { join } from "node:path";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig, type UserConfig } from "vite";
import { compressedBeside } from "./compressed-beside.ts";
import { guide } from "./guide.ts";
import { iconsApart } from "./icons-apart.ts";
import { lateParts } from "./late-parts.ts";
import { mantineStyles } from "./mantine-styles.ts";
import { pageHead } from "./page-head.ts";
import { pagesVersion } from "./pages-version.ts";
import { usedWeights } from "./used-weights.ts";

const DOCS = fileURLToPath(new URL("../../../docs", import.meta.url));

/** How every console is built: one page, hashed files under /assets/, nothing inlined that a strict policy would refuse. `guide` is a file of docs/. */
export function consoleConfig({
  guide: name,
  firstQuestions = [],
}: {
  readonly guide?: string;
  /** The addresses of what the console asks before it can draw its first page. */
  readonly firstQuestions?: readonly string[];
} = {}): UserConfig {
  return defineConfig({
    plugins: [
      react(),
      pageHead(firstQuestions),
      lateParts(),
      iconsApart(),
      mantineStyles(),
      ...(name ? [guide(join(DOCS, name))] : []),
      usedWeights(),
      pagesVersion(),
      compressedBeside(),
    ],
    build: {
      outDir: "dist",
      emptyOutDir: true,
      // A favicon or font as data: URL would need a hole in the content security policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      // Fetched by whoever opens the browser's tools, and by nobody else.
      sourcemap: true,
      // One file for all that a first page needs: each file of its own costs its headers, and a reader's wait. Left to
      // itself, the bundler makes one for each set of pages that share something.
      rolldownOptions: {
        output: {
          codeSplitting: {
            groups: [
              { name: "base", tags: ["$initial"], priority: 1 },
              { name: "icons", test: "@radix-ui/react-icons" },
            ],
          },
        },
      },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1500,
    },
  });
}
