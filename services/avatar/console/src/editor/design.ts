/** A face as it is being made: everything the server needs to draw it. */
export interface Design {
  readonly collection: string;
  readonly seed: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** What was, what is, and what was taken back. */
export interface History {
  readonly past: readonly Design[];
  readonly present: Design;
  readonly future: readonly Design[];
  /** The control that made the last change: while it keeps moving, its steps are one step. */
  readonly touched?: string | undefined;
}

const MAX_STEPS = 200;

export const begin = (present: Design): History => ({ past: [], present, future: [] });

export function change(history: History, next: Design, control?: string): History {
  if (JSON.stringify(next) === JSON.stringify(history.present)) return history;
  const same = control !== undefined && control === history.touched;
  const past = same ? history.past : [...history.past, history.present].slice(-MAX_STEPS);
  return { past, present: next, future: [], touched: control };
}

export function undo({ past, present, future }: History): History {
  const before = past.at(-1);
  if (!before) return { past, present, future };
  return { past: past.slice(0, -1), present: before, future: [present, ...future] };
}

export function redo({ past, present, future }: History): History {
  const [after, ...rest] = future;
  if (!after) return { past, present, future };
  return { past: [...past, present], present: after, future: rest };
}

/** The design with one option set, or left to chance when there is no value. */
export function withOption(design: Design, name: string, value: unknown): Design {
  const { [name]: _, ...others } = design.options;
  return { ...design, options: value === undefined ? others : { ...others, [name]: value } };
}

/** An option may hold one value or a list; a person chose one. */
export function chosen(design: Design, name: string): unknown {
  const value = design.options[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Sixteen letters nobody had before. */
export function newSeed(): string {
  return [...crypto.getRandomValues(new Uint8Array(8))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
