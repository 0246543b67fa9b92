import assert from "node:assert/strict";
import { test } from "node:test";
import { begin, change, type Design, redo, undo, withOption } from "../console/src/editor/design.ts";
import { inWords, partsOf } from "../console/src/editor/parts.ts";
import { deviceName } from "../console/src/security/device-name.ts";
import { snippets } from "../console/src/snippets.ts";
import { words } from "../console/src/words/codes.ts";
import { AVATAR_STYLES } from "../src/domain/avatar-style.ts";
import { REFUSALS } from "../src/domain/errors.ts";
import { createStyleCatalogue } from "../src/render/style-catalogue.ts";

const design: Design = { collection: "personas", seed: "a", options: {} };
const seeded = (seed: string): Design => ({ ...design, seed });

test("the console has words for every refusal of the service, and for no other", () => {
  // A hash is asked for on the media host alone, where no console is.
  const { malformed_hash: _, ...refusals } = REFUSALS;
  assert.deepEqual(Object.keys(words).sort(), Object.keys(refusals).sort());
});

test("changes are taken back and brought again one by one, and a new one forgets what was taken back", () => {
  const three = change(change(begin(seeded("a")), seeded("b")), seeded("c"));
  const back = undo(undo(undo(three)));
  assert.equal(back.present.seed, "a");
  assert.equal(redo(back).present.seed, "b");
  assert.equal(redo(redo(redo(back))).present.seed, "c");
  assert.equal(redo(change(redo(back), seeded("d"))).present.seed, "d");
});

test("one drag of a slider is one step, and what changes nothing is none", () => {
  const dragged = [1, 2, 3].reduce(
    (history, turn) => change(history, withOption(design, "rotate", turn), "rotate"),
    begin(design),
  );
  assert.deepEqual(dragged.present.options, { rotate: 3 });
  assert.deepEqual(undo(dragged).present, design);
  assert.equal(change(dragged, withOption(design, "rotate", 3)), dragged);
});

test("only the last two hundred changes are remembered", () => {
  const long = Array.from({ length: 500 }, (_, i) => seeded(String(i))).reduce(
    (history, next) => change(history, next),
    begin(design),
  );
  assert.equal(long.past.length, 200);
});

test("every option of every style has its place in the editor, and only one", () => {
  const catalogue = createStyleCatalogue();
  for (const collection of AVATAR_STYLES) {
    const options = [...catalogue.optionsOf(collection)] as Parameters<typeof partsOf>[0]["options"];
    const parts = partsOf({ collection, title: collection, credits: "", options });
    const placed = parts.flatMap(({ choice, presence, others }) => [choice, presence, ...others]);
    assert.deepEqual(
      placed.flatMap((option) => option?.name ?? []).sort(),
      options.map(({ name }) => name).sort(),
      collection,
    );
  }
});

test("the names of drawings are written as words", () => {
  assert.deepEqual(["longHairBob", "variant03", "round01"].map(inWords), ["Long hair bob", "03", "Round 01"]);
});

test("a name with markup in it breaks no snippet", () => {
  const face = { mediaUrl: "https://faces.example", hash: "ab", size: 64, name: `A "quoted" <b> [x]` };
  assert.deepEqual(
    snippets(face).map(({ text }) => text),
    [
      "https://faces.example/ab?s=64",
      `<img src="https://faces.example/ab?s=64" srcset="https://faces.example/ab?s=128 2x" width="64" height="64" alt="A &#34;quoted&#34; &#60;b&#62; [x]">`,
      `![A "quoted" <b> \\[x\\]](https://faces.example/ab?s=64)`,
    ],
  );
  assert.doesNotMatch(
    snippets({ ...face, size: 512 })[1]?.text ?? "",
    /srcset/,
    "there is none larger than 512",
  );
});

test("a device is known by its browser and its system", () => {
  assert.deepEqual(
    [
      "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      "Mozilla/5.0 (Windows NT 10.0; Win64) AppleWebKit/537 Chrome/140.0 Safari/537 Edg/140.0",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Mobile Safari/604",
      "curl/8.0",
      "",
    ].map(deviceName),
    ["Firefox on Linux", "Edge on Windows", "Safari on iOS", "curl", "Unknown device"],
  );
});
