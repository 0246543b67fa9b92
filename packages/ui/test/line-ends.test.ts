import assert from "node:assert/strict";
import { test } from "node:test";
import { unixLines, withLineEnds } from "../src/line-ends.ts";

const mixed = "a = 1\r\nb = 2\nc = 3\r\n\nd = 4";
const edit = (change: (text: string) => string) => withLineEnds(change(unixLines(mixed)), mixed);

test("a text that nobody has changed is as it was", () => {
  assert.equal(
    edit((text) => text),
    mixed,
  );
});

test("each line keeps its own end when one is changed, added or removed", () => {
  assert.equal(
    edit((text) => text.replace("2", "22")),
    mixed.replace("2", "22"),
  );
  assert.equal(
    edit((text) => text.replace("2\n", "2\nnew\n")),
    mixed.replace("2\n", "2\nnew\n"),
  );
  assert.equal(
    edit((text) => text.replace("3\n", "3\nnew\n")),
    mixed.replace("3\r\n", "3\r\nnew\r\n"),
  );
  assert.equal(
    edit((text) => text.replace("b = 2\n", "")),
    mixed.replace("b = 2\n", ""),
  );
  assert.equal(
    edit((text) => `${text}\nnew`),
    `${mixed}\nnew`,
  );
  assert.equal(
    edit((text) => `new\n${text}`),
    `new\r\n${mixed}`,
  );
});

test("a text with one kind of line end keeps it", () => {
  assert.equal(withLineEnds("a\nb\nc", "a\r\nc"), "a\r\nb\r\nc");
  assert.equal(withLineEnds("a\nb\nc", "a\nc"), "a\nb\nc");
  assert.equal(withLineEnds("a\nb", "a"), "a\nb");
  assert.equal(withLineEnds("", "a\r\nb"), "");
});
