import type { Report } from "./shape.ts";
import type { Place } from "./toml-document.ts";

/** Addresses from one to another, and where the file says so. */
export interface Span<A extends number | bigint> {
  readonly first: A;
  readonly last: A;
  readonly name: string;
  readonly place: Place;
}

/** Of two that overlap, the one that comes later in the file is wrong. Each is held against its neighbours alone. */
export function reportOverlaps<A extends number | bigint>(
  spans: ReadonlyArray<Span<A>>,
  report: Report,
  message: (one: string, other: string) => string,
): void {
  let widest: Span<A> | undefined;
  for (const span of spans.toSorted((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0))) {
    if (widest && span.first <= widest.last) {
      const isLater = comesBefore(widest.place, span.place);
      const [later, earlier] = isLater ? [span, widest] : [widest, span];
      report.add(later.place, message(later.name, earlier.name));
    }
    if (!widest || span.last > widest.last) widest = span;
  }
}

const comesBefore = (a: Place, b: Place) => a.line < b.line || (a.line === b.line && a.column < b.column);
