import type { Clock } from "@frontdesk/kit/clock";
import { refuse } from "./codes.ts";
import type { Keeper } from "./keeper.ts";
import type { Desk } from "./rows.ts";
import { assertTyped } from "./typed-confirmation.ts";

export const RESET_WORDS = "factory reset";

export interface FactoryResetParts {
  readonly keeper: Pick<Keeper, "stop" | "start">;
  /** Leases, history, control token and log, and the configuration where it is the engine's own. */
  readonly removeEngineState: () => void;
  readonly desk: Desk;
  readonly clock: Clock;
  /** Makes the user admin; answers with its password where that was made here. */
  readonly firstAdmin: () => Promise<string | undefined>;
  /** What is known here of leases that are gone. */
  readonly forget: () => Promise<void>;
}

/** Everything as after the first start: no leases, no history, no users but admin, the first configuration. */
export function createFactoryReset(parts: FactoryResetParts) {
  const { keeper, removeEngineState, desk, clock, firstAdmin, forget } = parts;
  let isUnderWay = false;

  const reset = async (actor: string): Promise<string | undefined> => {
    const { state } = await keeper.stop();
    if (state !== "stopped") return refuse("engine_busy");
    try {
      removeEngineState();
      await forget();
      await desk.write((rows) => rows.clear());
      const password = await firstAdmin();
      await desk.write(({ audit }) =>
        audit.add({ at: clock.now(), actor, action: "factory_reset", subject: null, details: null }),
      );
      return password;
    } finally {
      await keeper.start();
    }
  };

  return async (actor: string, typed: string): Promise<string | undefined> => {
    assertTyped(RESET_WORDS, typed);
    if (isUnderWay) return refuse("engine_busy");
    isUnderWay = true;
    try {
      return await reset(actor);
    } finally {
      isUnderWay = false;
    }
  };
}

export type FactoryReset = ReturnType<typeof createFactoryReset>;
