const CONTEXT = 3;
/** Beyond this many pairs of lines what differs is told as one block: looking for what they share would take too long. */
const MAX_PAIRS = 4_000_000;

type Mark = " " | "-" | "+";
interface Line {
  readonly mark: Mark;
  readonly text: string;
}

/** What changes between two texts, in the unified format of diff(1); empty when nothing does. */
export function unifiedDiff(before: string, after: string): string {
  const lines = compared(linesOf(before), linesOf(after));
  return hunksOf(lines)
    .map(([from, to]) => hunkText(lines, from, to))
    .join("");
}

const linesOf = (text: string) => {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
};

const marked = (mark: Mark, texts: readonly string[]): Line[] => texts.map((text) => ({ mark, text }));

function compared(before: readonly string[], after: readonly string[]): Line[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return [
    ...marked(" ", before.slice(0, head)),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...marked(" ", before.slice(before.length - tail)),
  ];
}

/** By the longest common subsequence: `shared[i][j]` is its length from line i of one and line j of the other. */
function middle(before: readonly string[], after: readonly string[]): Line[] {
  if (before.length * after.length > MAX_PAIRS) return [...marked("-", before), ...marked("+", after)];
  const width = after.length + 1;
  const shared = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number) => shared[i * width + j] as number;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      shared[i * width + j] =
        before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && before[i] === after[j]) {
      lines.push({ mark: " ", text: before[i++] as string });
      j++;
    } else if (j === after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ mark: "-", text: before[i++] as string });
    } else lines.push({ mark: "+", text: after[j++] as string });
  }
  return lines;
}

/** Where something changes, with the lines around it; those that touch are one. */
function hunksOf(lines: readonly Line[]): Array<[from: number, to: number]> {
  const hunks: Array<[number, number]> = [];
  for (const [place, { mark }] of lines.entries()) {
    if (mark === " ") continue;
    const [from, to] = [Math.max(0, place - CONTEXT), Math.min(lines.length, place + CONTEXT + 1)];
    const last = hunks.at(-1);
    if (last && from <= last[1]) last[1] = to;
    else hunks.push([from, to]);
  }
  return hunks;
}

function hunkText(lines: readonly Line[], from: number, to: number): string {
  const count = (part: readonly Line[], other: Mark) => part.filter(({ mark }) => mark !== other).length;
  const [earlier, here] = [lines.slice(0, from), lines.slice(from, to)];
  const range = (other: Mark) => {
    const many = count(here, other);
    // Of nothing, the line before it is named.
    return `${count(earlier, other) + (many > 0 ? 1 : 0)},${many}`;
  };
  const head = `@@ -${range("+")} +${range("-")} @@\n`;
  return head + here.map(({ mark, text }) => `${mark}${text}\n`).join("");
}
