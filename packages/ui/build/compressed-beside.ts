import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import type { Plugin } from "vite";

const WORTH_IT = /\.(js|css|html|svg|json)$/;
/** What is smaller fits into one packet anyhow. */
const SMALLEST = 1_024;
const WAYS = { ".br": promisify(brotliCompress), ".gz": promisify(gzip) } as const;

/** Lays every text of a built console down compressed as well, `.br` and `.gz`: once, and then never again for a reader. */
export function compressedBeside(): Plugin {
  return {
    name: "compressed-beside",
    apply: "build",
    writeBundle: async ({ dir = "" }) => {
      const files = readdirSync(dir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && WORTH_IT.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name));
      await Promise.all(files.map(compress));
    },
  };
}

async function compress(file: string): Promise<void> {
  const bytes = readFileSync(file);
  if (bytes.length < SMALLEST) return;
  for (const [end, way] of Object.entries(WAYS)) {
    const compressed = await way(bytes);
    if (compressed.length < bytes.length) writeFileSync(file + end, compressed);
  }
}
