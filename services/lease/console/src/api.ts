import { createApi, type RowPage } from "@frontdesk/ui";
import { queryOptions } from "@tanstack/react-query";
import type { ManagerOperations } from "../../manager/src/http/operation-schemas.ts";
import { withEnd } from "./time-left.ts";
import { words } from "./words/codes.ts";

type Reply<Name extends keyof ManagerOperations> = ManagerOperations[Name]["reply"];

export type Me = NonNullable<Reply<"GET /auth/session">["user"]>;
export type Role = Me["role"];
export type Lease = Reply<"GET /leases/{ip}">;
export type LeaseEvent = Reply<"GET /lease-events">["items"][number];
export type Rollout = NonNullable<Reply<"GET /rollout">["rollout"]>;
export type Reservation = Reply<"GET /reservations">["items"][number];
export type Dashboard = Reply<"GET /dashboard">;
export type HaPair = NonNullable<Reply<"GET /ha/status">["pair"]>;
export type EngineView = Reply<"GET /engine/status">;
export type AddressMap = Reply<"GET /address-map">;
export type HostNetwork = Reply<"GET /system/network">;
export type NetworkTrial = NonNullable<ReturnType<typeof withEnd<NonNullable<HostNetwork["trial"]>>>>;
export type UserRow = Reply<"GET /users">["items"][number];
export type TokenRow = Reply<"GET /tokens">["items"][number];

export const BASE = "/api/v1";
const { call } = createApi<ManagerOperations>({ words, base: BASE });

/** What a list of leases shows. Empty: all. */
export interface LeaseFilter {
  readonly q: string;
  readonly subnet: string;
  readonly state: Lease["state"] | "";
}

const PAGE = 100;
const given = <T extends object>(filter: T) =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== "")) as Partial<T>;

/** What the manager can be asked, each with the name it has in the cache. */
export const questions = {
  me: queryOptions({
    queryKey: ["me"],
    queryFn: async () => (await call("GET /auth/session")).user,
    staleTime: Number.POSITIVE_INFINITY,
  }),
  dashboard: queryOptions({ queryKey: ["dashboard"], queryFn: () => call("GET /dashboard") }),
  engine: queryOptions({ queryKey: ["engine"], queryFn: () => call("GET /engine/status") }),
  ha: queryOptions({ queryKey: ["ha"], queryFn: async () => (await call("GET /ha/status")).pair }),
  /** A page of leases, by address. */
  leasePage: async (
    filter: LeaseFilter,
    cursor: string | null,
    signal: AbortSignal,
  ): Promise<RowPage<Lease>> =>
    call("GET /leases", {
      query: { limit: PAGE, ...given(filter), ...(cursor ? { cursor } : {}) } as never,
      signal,
    }),
  lease: (ip: string) =>
    queryOptions({ queryKey: ["lease", ip], queryFn: () => call("GET /leases/{ip}", { path: { ip } }) }),
  reservations: queryOptions({
    queryKey: ["reservations"],
    queryFn: async () => (await call("GET /reservations")).items,
  }),
  rollout: queryOptions({
    queryKey: ["rollout"],
    queryFn: async () => (await call("GET /rollout")).rollout,
  }),
  config: queryOptions({
    queryKey: ["config"],
    queryFn: async () => {
      const config = await call("GET /config/full");
      return { ...config, trial: withEnd(config.trial) };
    },
  }),
  hostNetwork: queryOptions({
    queryKey: ["host-network"],
    queryFn: async () => {
      const network = await call("GET /system/network");
      return { ...network, trial: withEnd(network.trial) };
    },
  }),
  users: queryOptions({ queryKey: ["users"], queryFn: async () => (await call("GET /users")).items }),
  tokens: queryOptions({ queryKey: ["tokens"], queryFn: async () => (await call("GET /tokens")).items }),
};

/** A lease, and its version when it was shown. */
export type SeenLease = Pick<Lease, "ip" | "version">;

/** What the manager can be told to do. */
export const orders = {
  signIn: (username: string, password: string) => call("POST /auth/login", { json: { username, password } }),
  signOut: async () => void (await call("POST /auth/logout")),
  changePassword: (json: { password: string; new_password: string }) => call("PUT /auth/password", { json }),
  /** Only of the device that was shown: the address may have another by now. */
  release: ({ ip, version }: SeenLease) =>
    call("DELETE /leases/{ip}", { path: { ip }, ifMatch: `"${version}"` }),
  reserve: ({ ip, version }: SeenLease) =>
    call("POST /leases/{ip}/reserve", { path: { ip }, ifMatch: `"${version}"` }),
};

/** For pages that ask what no other page asks. */
export { call };
