import assert from "node:assert/strict";
import { test } from "node:test";
import { guideBlocks, idOf } from "../build/guide.ts";

test("a guide is read into what a page shows of it", () => {
  const markdown = `# The bridge

Prints **labels** with \`npx\`, see [the page](https://example.org) and [another guide](other.md).

![A picture](images/a.webp)

## What a job's state means

- one
- two *indeed*

| state | meaning |
|---|---|
| Held | waits |

\`\`\`sh
npm start
\`\`\`
`;
  assert.deepEqual(guideBlocks(markdown), [
    {
      kind: "paragraph",
      parts: [
        "Prints ",
        { kind: "strong", parts: ["labels"] },
        " with ",
        { kind: "code", text: "npx" },
        ", see ",
        { kind: "link", href: "https://example.org", parts: ["the page"] },
        " and ",
        "another guide",
        ".",
      ],
    },
    { kind: "heading", depth: 2, id: "what-a-jobs-state-means", parts: ["What a job's state means"] },
    {
      kind: "list",
      ordered: false,
      items: [
        [{ kind: "paragraph", parts: ["one"] }],
        [{ kind: "paragraph", parts: ["two ", { kind: "em", parts: ["indeed"] }] }],
      ],
    },
    { kind: "table", header: [["state"], ["meaning"]], rows: [[["Held"], ["waits"]]] },
    { kind: "code", text: "npm start" },
  ]);
  assert.equal(idOf("REST, and older interfaces"), "rest-and-older-interfaces");
});

test("a guide that could run something is shown as text", () => {
  assert.deepEqual(guideBlocks("<script>alert(1)</script>\n\n[x](javascript:alert(1))"), [
    { kind: "paragraph", parts: ["x"] },
  ]);
});
