import type { newDurable, startCore } from "../../src/ha/core-state.ts";
import type { Pair } from "../../src/ha/pair.ts";
import type { PairTime } from "../../src/ha/pair-time.ts";
import type {
  answers,
  awaitedUntil,
  latestEnd,
  mayBind,
  mayGiveBack,
  mayNak,
  mayReuse,
  owns,
} from "../../src/ha/rights.ts";

/** The code under test: as it is, or with a mistake planted in it. */
export interface Rules {
  readonly newDurable: typeof newDurable;
  readonly startCore: typeof startCore;
  readonly Pair: typeof Pair;
  readonly PairTime: typeof PairTime;
  readonly answers: typeof answers;
  readonly awaitedUntil: typeof awaitedUntil;
  readonly latestEnd: typeof latestEnd;
  readonly mayBind: typeof mayBind;
  readonly mayGiveBack: typeof mayGiveBack;
  readonly mayNak: typeof mayNak;
  readonly mayReuse: typeof mayReuse;
  readonly owns: typeof owns;
}

/** Loads the room `ha`; with a mark, a copy of its modules that shares nothing with any other. */
export async function loadRules(mark = ""): Promise<Rules> {
  const [state, rights, pair, time] = await Promise.all([
    import(`../../src/ha/core-state.ts${mark}`),
    import(`../../src/ha/rights.ts${mark}`),
    import(`../../src/ha/pair.ts${mark}`),
    import(`../../src/ha/pair-time.ts${mark}`),
  ]);
  return { ...state, ...rights, ...pair, ...time };
}
