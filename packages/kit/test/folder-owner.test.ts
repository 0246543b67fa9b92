import assert from "node:assert/strict";
import { chownSync, lchownSync, mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { folderOwner } from "../src/folder-owner.ts";

const [OWNER, OTHER] = [65_534, 65_533];

test("a folder's owner is told, unless somebody else has made a link on the way to it", {
  skip: process.getuid?.() === 0 ? false : "only root can make links of others",
}, (t) => {
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
  for (const way of [folder, join(byRoot, "lease"), join(byOwner, "lease")])
    assert.deepEqual(folderOwner(way), { uid: OWNER, gid: OTHER });
  symlinkSync(join(byOther, "lease"), join(home, "last"));
  for (const way of [join(byOther, "lease"), join(home, "last")])
    assert.throws(() => folderOwner(way), {
      message: `${byOther} is a link of user ${OTHER}, who is neither root nor the owner of the folder it leads to: put a folder there.`,
    });
});
