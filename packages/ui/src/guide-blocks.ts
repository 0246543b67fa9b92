/** A guide of docs/, as far as a page shows it: read while the console is built, so that no page reads Markdown. */
export type GuidePart =
  | string
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "strong" | "em"; readonly parts: readonly GuidePart[] }
  | { readonly kind: "link"; readonly href: string; readonly parts: readonly GuidePart[] };

export type GuideBlock =
  | {
      readonly kind: "heading";
      readonly depth: number;
      readonly id: string;
      readonly parts: readonly GuidePart[];
    }
  | { readonly kind: "paragraph"; readonly parts: readonly GuidePart[] }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "list"; readonly ordered: boolean; readonly items: ReadonlyArray<readonly GuideBlock[]> }
  | {
      readonly kind: "table";
      readonly header: ReadonlyArray<readonly GuidePart[]>;
      readonly rows: ReadonlyArray<ReadonlyArray<readonly GuidePart[]>>;
    };
