import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Clock, monotonicClock } from "@frontdesk/kit/clock";
import { DomainError } from "@frontdesk/kit/domain-error";
import type { HostGuard } from "@frontdesk/kit/host-guard";
import { countingIds, randomIds } from "@frontdesk/kit/ids";
import type { Log } from "@frontdesk/kit/log";
import { StartProblem } from "@frontdesk/kit/problem";
import type { LeaseEvent } from "@frontdesk/lease-control-api/schemas";
import { openLimitStore } from "@frontdesk/store/limit-store";
import { openStore } from "@frontdesk/store/open-store";
import { createHourlyLimits } from "@frontdesk/store/timed-limits";
import { createDesk } from "./adapters/desk.ts";
import { createFirstPassword } from "./adapters/first-password.ts";
import { createMakers } from "./adapters/makers.ts";
import { migrations } from "./adapters/migrations.ts";
import { argon2Passwords } from "./adapters/passwords.ts";
import type { Tables } from "./adapters/tables.ts";
import { createAddressMaps } from "./domain/address-map.ts";
import { keepAuditShort } from "./domain/audit-retention.ts";
import { createAudited } from "./domain/audited.ts";
import { createConfiguration } from "./domain/configuration.ts";
import { createDevices } from "./domain/devices.ts";
import type { Engine } from "./domain/engine.ts";
import { createFactoryReset, type ResetMark } from "./domain/factory-reset.ts";
import { createFirstAdmin } from "./domain/first-admin.ts";
import type { HostNetwork } from "./domain/host-network.ts";
import type { Keeper } from "./domain/keeper.ts";
import { createLiveFeed } from "./domain/live-feed.ts";
import { createNewDevices } from "./domain/new-devices.ts";
import { createReservations } from "./domain/reservations.ts";
import { createRollouts } from "./domain/rollout.ts";
import { createSignIn, MAX_ATTEMPTS } from "./domain/sign-in.ts";
import { createUsers } from "./domain/users.ts";
import { createManagerServer } from "./http/server.ts";

const VERSION = "0.1.0";
const ENGINE_DOWN =
  "The engine does not run: it does not start, or ended by itself, and is tried again. Its page under System says why.";
const CONSOLE = fileURLToPath(new URL("../../console/dist", import.meta.url));

export interface ManagerOptions {
  readonly home: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly engine: Engine;
  readonly keeper: Keeper;
  readonly publicUrl: string;
  readonly isOurs: HostGuard;
  readonly adminPassword: string | undefined;
  readonly removeEngineState: () => void;
  readonly resetMark: ResetMark;
  readonly network: HostNetwork;
}

export const databaseUrlOf = (home: string) => pathToFileURL(join(home, "manager.db"));

const schedule = (milliseconds: number, act: () => void) => {
  const timer = setTimeout(act, milliseconds);
  return () => clearTimeout(timer);
};

const beginningOfDay = (time: number) => new Date(time).setHours(0, 0, 0, 0);

/** Puts the manager together: whoever reads this knows how it hangs together. */
export async function createManager(options: ManagerOptions) {
  const { home, log, clock, engine, keeper } = options;
  const url = databaseUrlOf(home);
  const store = await openStore<Tables>({ url, migrations, clock });
  const limits = await openLimitStore(url, home, { clock, monotonic: monotonicClock, log });
  const desk = createDesk(store);
  const { audited, alone } = createAudited(desk, clock);
  const newSecret = () => randomBytes(32).toString("base64url");
  const passwords = argon2Passwords;
  const users = createUsers({ desk, clock, ids: randomIds, passwords, newSecret });
  const firstAdmin = createFirstAdmin({
    desk,
    users,
    passwords,
    firstPassword: createFirstPassword(home),
    given: options.adminPassword,
    makePassword: () => randomBytes(12).toString("base64url"),
  });
  const signIn = createSignIn({
    desk,
    clock,
    passwords,
    attempts: createHourlyLimits(limits, "lease", MAX_ATTEMPTS),
    newSecret,
    onUnmarked: (err) => log.warn({ err }, "that a session or a token is in use could not be written"),
    onSignedIn: (username) => {
      try {
        firstAdmin.hasSignedIn(username);
      } catch (error) {
        log.warn({ err: error }, "the first password of admin is used, and its file could not be removed");
      }
    },
  });
  const configuration = createConfiguration({ engine, desk, clock, audited });
  const reservations = createReservations(configuration, engine);
  const newDevices = createNewDevices({ engine, dayOf: beginningOfDay, now: () => clock.now() });
  const live = createLiveFeed({
    engine,
    log,
    now: () => clock.now(),
    onHeard: () => void newDevices.catchUp(),
    onConfig: configuration.notice,
  });
  live.subscribe(({ event, data }) => {
    if (event === "lease") void newDevices.hear(JSON.parse(data) as LeaseEvent);
  });
  const rollouts = createRollouts({
    engine,
    clock,
    log,
    schedule,
    kept: {
      load: desk.read.rollout.load,
      save: (rollout) => desk.write((rows) => rows.rollout.save(rollout)),
    },
  });
  const factoryReset = createFactoryReset({
    alone,
    keeper,
    removeEngineState: options.removeEngineState,
    desk,
    clock,
    log,
    newAdmin: firstAdmin.prepare,
    rollBackTrial: async () => {
      await engine.rollBackConfig().catch((error) => {
        if (!(error instanceof DomainError) || error.code !== "no_trial") throw error;
      });
    },
    forget: async () => {
      rollouts.forget();
      live.forget();
      await newDevices.forget();
    },
    mark: options.resetMark,
  });
  const resetPassword = await factoryReset.resume().catch((error: Error) => {
    throw new StartProblem(
      `A factory reset that was cut off cannot be finished: ${error.message.replace(/\.$/, "")}. Put that right, or remove ${options.resetMark.path} to go on with what is left; then start again.`,
    );
  });
  const devices = createDevices(engine, configuration);
  const app = await createManagerServer({
    parts: {
      desk,
      audited,
      signIn,
      users,
      engine,
      keeper,
      configuration,
      reservations,
      rollouts,
      addressMap: createAddressMaps(engine, configuration),
      devices,
      makers: createMakers(),
      newDevices,
      factoryReset: factoryReset.reset,
      network: options.network,
      live,
    },
    log,
    ids: countingIds(),
    version: VERSION,
    publicUrl: options.publicUrl,
    isOurs: options.isOurs,
    consoleFolder: CONSOLE,
    health: async () => {
      await store.ping();
      const { problem } = await keeper.state();
      // Whoever asks need not be signed in: what the engine said last is for those who are, and for the log.
      if (problem !== null)
        throw Object.assign(new DomainError("engine_away", ENGINE_DOWN), { cause: new Error(problem) });
    },
  });
  const password = resetPassword ?? (await firstAdmin.make());
  const stopRetention = keepAuditShort(desk, clock, log);
  return {
    app,
    users,
    /** Of the user admin, where it was made here and nobody has used it. */
    password,
    start: async () => {
      live.start();
      await rollouts.resume();
    },
    close: async () => {
      live.stop();
      stopRetention();
      rollouts.close();
      await app.close();
      await limits.close();
      await store.close();
    },
  };
}
