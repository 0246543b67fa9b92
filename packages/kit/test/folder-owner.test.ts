import assert from "node:assert/strict";
import { chownSync, existsSync, lchownSync, mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { folderOwner, makeFolder } from "../src/folder-owner.ts";

const [OWNER, OTHER] = [65_534, 65_533];

const skip = process.getuid?.() === 0 ? false : "only root can make links of others";

/** A folder, and three links to the one above it. */
function linked(t: TestContext) {
  const home = realpathSync(temporaryHome(t));
  const folder = join(home, "real/lease");
  mkdirSync(folder, { recursive: true });
  chownSync(folder, OWNER, OTHER);
  const links = ["by-root", "by-owner", "by-other"].map((name) => join(home, name));
  for (const [index, link] of links.entries()) {
    // By a relative way, and the last one by way of the first.
    symlinkSync(index === 2 ? "by-root/../by-root" : "real", link);
    lchownSync(link, [0, OWNER, OTHER][index] ?? 0, 0);
  }
  const [byRoot = "", byOwner = "", byOther = ""] = links;
  return { home, folder, byRoot, byOwner, byOther };
}

test("a folder's owner is told, unless somebody else has made a link on the way to it", { skip }, (t) => {
  const { home, folder, byRoot, byOwner, byOther } = linked(t);
  for (const way of [folder, join(byRoot, "lease"), join(byOwner, "lease")])
    assert.deepEqual(folderOwner(way), { uid: OWNER, gid: OTHER });
  symlinkSync(join(byOther, "lease"), join(home, "last"));
  for (const way of [join(byOther, "lease"), join(home, "last")])
    assert.throws(() => folderOwner(way), {
      message: `${byOther} is a link of user ${OTHER}, who is neither root nor the owner of the folder it leads to: put a folder there.`,
    });
});

test("root makes no folder where the link of somebody else leads", { skip }, (t) => {
  const { folder, byRoot, byOwner, byOther } = linked(t);
  assert.throws(() => makeFolder(join(byOther, "lease/above/new")), { message: /put a folder there/ });
  assert.equal(existsSync(join(folder, "above")), false);
  for (const way of [byRoot, byOwner]) {
    assert.equal(makeFolder(join(way, "lease", basename(way), "new")), join(way, "lease", basename(way)));
    assert.ok(existsSync(join(folder, basename(way), "new")));
  }
  assert.equal(makeFolder(join(byOther, "lease")), undefined, "what is there is not made");
});
