import { ANSWER_KINDS, type AnswerKind } from "./answer-order.ts";

/** So many questions in a row without an answer of one kind, and the firmware is taken not to have it. */
const MISSES = 3;

/**
 * What a printer's firmware answers at all, so that nobody waits for the rest. Learnt over several questions, since one
 * answer may come late, and unlearnt with the first answer that comes after all.
 */
export interface AnsweredKinds {
  expects(kind: AnswerKind): boolean;
  /** Whether it ever was answered. */
  has(kind: AnswerKind): boolean;
  heard(kind: AnswerKind): void;
  /** A question was answered, and not by these kinds. */
  missed(kinds: readonly AnswerKind[]): void;
  /** The firmware has it no more: another printer has taken the address, or its answer is not understood. */
  unlearn(kind: AnswerKind): void;
}

export function createAnsweredKinds(): AnsweredKinds {
  const misses = new Map<AnswerKind, number>(ANSWER_KINDS.map((kind) => [kind, 0]));
  const known = new Set<AnswerKind>();
  return {
    expects: (kind) => (misses.get(kind) ?? 0) < MISSES,
    has: (kind) => known.has(kind),
    heard: (kind) => {
      known.add(kind);
      misses.set(kind, 0);
    },
    missed: (kinds) => {
      for (const kind of kinds) misses.set(kind, (misses.get(kind) ?? 0) + 1);
    },
    unlearn: (kind) => void known.delete(kind),
  };
}
