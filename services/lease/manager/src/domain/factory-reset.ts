import type { Clock } from "@frontdesk/kit/clock";
import type { Log } from "@frontdesk/kit/log";
import type { Audited } from "./audited.ts";
import { type Author, assertStillAllowed } from "./author.ts";
import { refuse } from "./codes.ts";
import type { NewAdmin } from "./first-admin.ts";
import type { Keeper } from "./keeper.ts";
import type { Desk } from "./rows.ts";
import { assertTyped } from "./typed-confirmation.ts";

export const RESET_WORDS = "factory reset";

/** On disk while a reset is under way, with who asked for it. */
export interface ResetMark {
  readonly path: string;
  actor(): string | undefined;
  set(actor: string): void;
  remove(): void;
}

export interface FactoryResetParts {
  /** Nothing else is written meanwhile: no edit that was waiting comes into what begins anew, and nobody starts the engine. */
  readonly alone: Audited;
  readonly keeper: Pick<Keeper, "stop" | "start">;
  /** Leases, history, control token and log, and the configuration where it is the engine's own. */
  readonly removeEngineState: () => void;
  readonly desk: Desk;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  readonly newAdmin: () => Promise<NewAdmin>;
  /** Takes back a configuration that is on trial: what nobody has confirmed does not outlive the reset. */
  readonly rollBackTrial: () => Promise<void>;
  /** What is known here of leases that are gone. */
  readonly forget: () => Promise<void>;
  readonly mark: ResetMark;
}

/**
 * Everything as after the first start: no leases, no history, no users but admin, the first configuration. One that was
 * cut off is begun again at the next start, before the engine is.
 */
export function createFactoryReset(parts: FactoryResetParts) {
  const { alone, keeper, removeEngineState, desk, clock, log, newAdmin, rollBackTrial, forget, mark } = parts;

  const stopEngine = async () => {
    const { state } = await keeper.stop();
    if (state !== "stopped") refuse("engine_busy");
  };

  /** Whatever of it was done before can be done again. */
  const removeAll = async (actor: string, author?: Author): Promise<string | undefined> => {
    const admin = await newAdmin();
    if (author) await assertStillAllowed(desk.read, author, clock.now());
    await rollBackTrial();
    removeEngineState();
    await forget();
    // At once: there is no moment without anybody who can sign in, and none in which a user of before could be kept.
    await desk.write(async (rows) => {
      // Whoever was removed meanwhile is not told the new password.
      if (author) await assertStillAllowed(rows, author, clock.now());
      await rows.clear();
      const told = { actor, action: "factory_reset", subject: null, details: null };
      await rows.audit.add({ at: clock.now(), ...told });
      await admin.put(rows);
    });
    return admin.password;
  };

  const reset = async (author: Author): Promise<string | undefined> => {
    await stopEngine();
    try {
      try {
        mark.set(author.actor);
        return await removeAll(author.actor, author);
      } finally {
        // Also where it failed: whoever is told so may go on with what is left, and no later start removes that.
        mark.remove();
      }
    } finally {
      // The page System shows that it does not run; the password is told all the same.
      await keeper
        .start()
        .catch((error) => log.warn({ err: error }, "engine not started after a factory reset"));
    }
  };

  return {
    reset: async (author: Author, typed: string): Promise<string | undefined> => {
      assertTyped(RESET_WORDS, typed);
      // Told first: where it removes leases and then fails, the audit log, which stays, says who asked for it.
      return alone({ author, action: "factory_reset" }, () => reset(author));
    },

    /** Finishes one that was cut off; the engine stays stopped. Answers with the password of admin if that was made here. */
    resume: async (): Promise<string | undefined> => {
      const actor = mark.actor();
      if (actor === undefined) return undefined;
      await stopEngine();
      const password = await removeAll(actor);
      mark.remove();
      return password;
    },
  };
}

export type FactoryReset = ReturnType<typeof createFactoryReset>["reset"];
