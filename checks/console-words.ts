import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";

/** What people read in a browser: the consoles, and what they are made of. */
const CONSOLES =
  /^(packages\/ui\/src|packages\/signin\/pages|services\/([^/]+\/)*(console|webapp)\/src)\/.*\.tsx?$/;
/** The catalogues. */
const WORDS = /\/words\/[^/]+\.ts$/;

/** Properties, of elements and of objects, that are shown or read out. */
const SHOWN = new Set(
  "about action alt aria-label aria-description body caption description done hint intro label legend meaning message placeholder title what whole words".split(
    " ",
  ),
);
const LETTERS = /\p{L}{2}/u;
/** Three words in a row are a sentence, wherever they stand; one that names code or fonts is for whoever writes it. */
const SENTENCE = /\p{L}{2,}[,.:;]? \p{L}+[,.:;]? \p{L}+/u;
const NAMES_CODE = /\p{Ll}\p{Lu}|[#{}=]|serif|monospace/u;
/** What stands in these is typed into machines. */
const CODE = new Set(["Code", "code", "kbd", "pre"]);

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [part: string]: unknown;
}

/** Every text that a console shows and that is in no catalogue, a line each. */
export function scatteredWords(root: string, files: readonly string[]): string[] {
  return files
    .filter((file) => CONSOLES.test(file) && !WORDS.test(file))
    .flatMap((file) => wordsIn(file, readFileSync(join(root, file), "utf8")));
}

export function wordsIn(file: string, source: string): string[] {
  const found: string[] = [];
  const complain = (node: Node, text: string) => {
    const line = source.slice(0, node.start).split("\n").length;
    found.push(`${file}:${line} says "${text.trim().replace(/\s+/g, " ")}" outside the catalogue`);
  };
  const visit = (node: Node, isShown: boolean): void => {
    if (/^(Import|Export(All|Named))Declaration$/.test(node.type) && node.source) return;
    if (/^TS.*(Type|Keyword|Signature|Declaration|Annotation)$/.test(node.type)) return;
    const text = textOf(node);
    if (text !== undefined) {
      const isSentence = SENTENCE.test(text) && !NAMES_CODE.test(text);
      if (isSentence || (LETTERS.test(text) && (isShown || node.type === "JSXText"))) complain(node, text);
    }
    if (isCode(node)) return;
    for (const [part, child] of partsOf(node)) visit(child, reaches(node, part, isShown));
  };
  visit(parseSync(file, source).program as unknown as Node, false);
  return found;
}

function textOf(node: Node): string | undefined {
  if (node.type === "JSXText") return String(node.value);
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type !== "TemplateLiteral") return undefined;
  const quasis = node.quasis as ReadonlyArray<{ readonly value: { readonly cooked: string } }>;
  return quasis.map(({ value }) => value.cooked).join(" … ");
}

/** Whether what a part of a node says is shown. */
function reaches(node: Node, part: string, isShown: boolean): boolean {
  switch (node.type) {
    case "JSXElement":
    case "JSXFragment":
      return part === "children";
    case "JSXAttribute":
      return part === "value" && SHOWN.has(nameOf(node.name as Node));
    case "Property":
      return part === "value" && SHOWN.has(nameOf(node.key as Node));
    case "ConditionalExpression":
      return part !== "test" && isShown;
    case "LogicalExpression":
    case "JSXExpressionContainer":
    case "ArrowFunctionExpression":
      return isShown;
    default:
      return false;
  }
}

const isCode = ({ type, openingElement }: Node) =>
  type === "JSXElement" && CODE.has(nameOf((openingElement as Node).name as Node));

const nameOf = ({ name, value }: Node) => String(name ?? value);

function* partsOf(node: Node): Generator<[part: string, child: Node]> {
  for (const [part, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child === "object" && child !== null && "type" in child) yield [part, child as Node];
    }
  }
}
