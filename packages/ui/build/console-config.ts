import react from "@vitejs/plugin-react";
import { defineConfig, type UserConfig } from "vite";
import { compressedBeside } from "./compressed-beside.ts";
import { pageHead } from "./page-head.ts";
import { usedWeights } from "./used-weights.ts";

/** How every console is built: one page, hashed files under /assets/, nothing inlined that a strict policy would refuse. */
export function consoleConfig(): UserConfig {
  return defineConfig({
    plugins: [react(), pageHead(), usedWeights(), compressedBeside()],
    build: {
      outDir: "dist",
      emptyOutDir: true,
      // A favicon or font as data: URL would need a hole in the content security policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      // Fetched by whoever opens the browser's tools, and by nobody else.
      sourcemap: true,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 1500,
    },
  });
}
