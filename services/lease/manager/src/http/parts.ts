import type { AddressMaps } from "../domain/address-map.ts";
import type { Audited } from "../domain/audited.ts";
import type { Configuration } from "../domain/configuration.ts";
import type { Devices } from "../domain/devices.ts";
import type { Engine } from "../domain/engine.ts";
import type { FactoryReset } from "../domain/factory-reset.ts";
import type { HostNetwork } from "../domain/host-network.ts";
import type { Keeper } from "../domain/keeper.ts";
import type { LiveFeed } from "../domain/live-feed.ts";
import type { Makers } from "../domain/makers.ts";
import type { NewDevices } from "../domain/new-devices.ts";
import type { Reservations } from "../domain/reservations.ts";
import type { Rollouts } from "../domain/rollout.ts";
import type { Desk } from "../domain/rows.ts";
import type { SignIn } from "../domain/sign-in.ts";
import type { Users } from "../domain/users.ts";

/** What the routes work with. */
export interface ManagerParts {
  readonly desk: Desk;
  readonly audited: Audited;
  readonly signIn: SignIn;
  readonly users: Users;
  readonly engine: Engine;
  readonly keeper: Keeper;
  readonly configuration: Configuration;
  readonly reservations: Reservations;
  readonly newDevices: NewDevices;
  readonly rollouts: Rollouts;
  readonly addressMap: AddressMaps;
  readonly devices: Devices;
  readonly makers: Makers;
  readonly factoryReset: FactoryReset;
  readonly network: HostNetwork;
  readonly live: LiveFeed;
}

export const timeText = (milliseconds: number) => new Date(milliseconds).toISOString();
export const timeOrNull = (milliseconds: number | null) =>
  milliseconds === null ? null : timeText(milliseconds);
