import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** An empty folder that is gone when the test ends, also where a process that ends after it still writes there. */
export function temporaryHome(t: Pick<TestContext, "after">): string {
  const folder = mkdtempSync(join(tmpdir(), "frontdesk-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}
