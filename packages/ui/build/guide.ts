import { readFileSync } from "node:fs";
import { marked, type Token, type Tokens } from "marked";
import type { Plugin } from "vite";
import type { GuideBlock, GuidePart } from "../src/guide-blocks.ts";

const NAME = "virtual:guide";
const RESOLVED = `\0${NAME}`;

/** Gives a console the guide of its service, from docs/. */
export function guide(file: string): Plugin {
  return {
    name: "guide",
    resolveId: (id) => (id === NAME ? RESOLVED : undefined),
    load: (id) =>
      id === RESOLVED
        ? `export const guide = ${JSON.stringify(guideBlocks(readFileSync(file, "utf8")))};`
        : undefined,
  };
}

/** What a page shows of a guide. The title is the page's own, and pictures show the page itself. */
export function guideBlocks(markdown: string): GuideBlock[] {
  return marked
    .lexer(markdown)
    .flatMap(blocksOf)
    .filter((block) => block.kind !== "heading" || block.depth > 1);
}

function blocksOf(token: Token): GuideBlock[] {
  switch (token.type) {
    case "heading":
      return [{ kind: "heading", depth: token.depth, id: idOf(token.text), parts: partsOf(token.tokens) }];
    case "paragraph":
    case "text": {
      const parts = partsOf(token.tokens ?? [token]);
      return parts.length > 0 ? [{ kind: "paragraph", parts }] : [];
    }
    case "code":
      return [{ kind: "code", text: token.text }];
    case "list": {
      const { ordered, items } = token as Tokens.List;
      return [{ kind: "list", ordered, items: items.map(({ tokens }) => tokens.flatMap(blocksOf)) }];
    }
    case "table": {
      const { header, rows } = token as Tokens.Table;
      const cells = (row: readonly Tokens.TableCell[]) => row.map(({ tokens }) => partsOf(tokens));
      return [{ kind: "table", header: cells(header), rows: rows.map(cells) }];
    }
    default:
      return [];
  }
}

function partsOf(tokens: readonly Token[] = []): GuidePart[] {
  return tokens.flatMap((token): GuidePart[] => {
    switch (token.type) {
      case "codespan":
        return [{ kind: "code", text: token.text }];
      case "strong":
      case "em":
        return [{ kind: token.type, parts: partsOf(token.tokens) }];
      case "link":
        return linkOf(token as Tokens.Link);
      case "image":
        return [];
      case "br":
        return [" "];
      default:
        return "tokens" in token && token.tokens ? partsOf(token.tokens) : textOf(token);
    }
  });
}

/** HTML is not shown: a guide is written in Markdown alone. */
const textOf = (token: Token): GuidePart[] =>
  token.type !== "html" && "text" in token ? [String(token.text)] : [];

/** A link into the guide or into the world; another guide is not in this console, and only named. */
function linkOf({ href, tokens }: Tokens.Link): GuidePart[] {
  const parts = partsOf(tokens);
  return /^(https?:|#)/.test(href) ? [{ kind: "link", href, parts }] : parts;
}

/** As GitHub makes them, so that links within a guide lead on here too. */
export const idOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
