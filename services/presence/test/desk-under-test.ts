import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Clock } from "@frontdesk/kit/clock";
import { createLog } from "@frontdesk/kit/log";
import { createSecretBox } from "@frontdesk/kit/secret-box";
import { type FakeClock, fakeClock } from "@frontdesk/testkit/clock";
import { postgresDatabase } from "@frontdesk/testkit/postgres";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { createAddressGuard } from "../src/delivery/address-guard.ts";
import { issueToken } from "../src/domain/access.ts";
import { CLI } from "../src/domain/actor.ts";
import { addMember } from "../src/domain/member.ts";
import { createOrg } from "../src/domain/org.ts";
import { SCOPES, type Scope } from "../src/domain/scopes.ts";
import type { Unit } from "../src/domain/unit.ts";
import {
  createPresence,
  DELIVERY_TIMES,
  type Presence,
  type PresenceOptions,
  RATE_POLICY,
} from "../src/presence.ts";

import { assertFits } from "./fitting-replies.ts";
import { type Closing, lastInFirstOut } from "./last-in-first-out.ts";

export type Engine = "sqlite" | "postgres";

export const ENGINES: ReadonlyArray<{ engine: Engine; database: (t: Closing) => Promise<URL> }> = [
  {
    engine: "sqlite",
    database: async (t) => pathToFileURL(join(temporaryHome(lastInFirstOut(t)), "presence.db")),
  },
  { engine: "postgres", database: async (t) => new URL(await postgresDatabase(lastInFirstOut(t))) },
];

/** For what is decided before anything is stored: one engine tells as much as both. */
export const anyEngine = (ENGINES[0] as (typeof ENGINES)[number]).database;

/** A key for tests. */
export const SECRETS = createSecretBox(
  [{ id: "test", secret: "a key of at least thirty-two characters" }],
  "test",
);

export const silent = createLog({ service: "presence", level: "silent", settings: {} });

export const ANNA = "anna@example.org";
export const BERT = "bert@example.org";

export interface DeskUnderTest extends Presence {
  readonly clock: FakeClock;
  readonly orgId: string;
  readonly databaseUrl: URL;
  /** A token for an integration of the organisation `acme`, with every scope unless told. */
  token(integration?: string, scopes?: readonly Scope[]): Promise<string>;
  change<T>(work: (unit: Unit) => Promise<T>): Promise<T>;
  call(token: string, method: string, path: string, body?: unknown, headers?: object): Promise<Reply>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  events(): Promise<Array<{ sequence: number; type: string; id: string; data: any }>>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly body: any;
}

/** The organisation `acme` with its members Anna and Bert, on a fresh database. */
export async function deskUnderTest(
  t: Closing,
  database: (t: Closing) => Promise<URL>,
  options: Partial<PresenceOptions> = {},
): Promise<DeskUnderTest> {
  const clock = fakeClock();
  const databaseUrl = await database(t);
  const presence = await openPresence(t, databaseUrl, clock, options);
  const orgId = "01JGFJJZ000000000000000000";
  await createOrg(presence.desk, CLI, {
    id: orgId,
    slug: "acme",
    name: "Acme",
    now: clock.now(),
    admin: { email: ANNA, name: "Anna" },
  });
  await presence.desk.change(orgId, CLI, (unit) =>
    addMember(unit, { email: BERT, name: "Bert", role: "member" }),
  );
  return { ...presence, clock, orgId, databaseUrl, ...shortcuts(presence, orgId) };
}

/** Another copy of the service on the same database. */
export async function openPresence(
  t: Closing,
  databaseUrl: URL,
  clock: Clock,
  options: Partial<PresenceOptions> = {},
): Promise<Presence> {
  const presence = await createPresence({
    databaseUrl,
    clock,
    log: silent,
    publicUrl: "http://presence.example",
    avatarUrl: "http://avatar.example",
    guard: createAddressGuard(["127.0.0.1"]),
    secrets: SECRETS,
    mailer: async () => {},
    random: () => 0.5,
    delivery: DELIVERY_TIMES,
    policy: RATE_POLICY,
    ...options,
  });
  lastInFirstOut(t).after(() => presence.close());
  return presence;
}

export function shortcuts(presence: Presence, orgId: string) {
  return {
    token: async (integration = "hr", scopes: readonly Scope[] = SCOPES) => {
      const wanted = { integration, name: "test", scopes, expiresAt: null };
      return (await presence.desk.change(orgId, CLI, (unit) => issueToken(unit, wanted))).token;
    },
    change: <T>(work: (unit: Unit) => Promise<T>) => presence.desk.change(orgId, CLI, work),
    call: (token: string, method: string, path: string, body?: unknown, headers: object = {}) =>
      callApi(presence, token, method, path, body, headers),
    events: async () => {
      const { items } = await presence.reader.events(orgId, 0, 100_000);
      return items.map(({ sequence, type, id, data }) => ({ sequence, type, id, data: JSON.parse(data) }));
    },
  };
}

export async function callApi(
  presence: Pick<Presence, "app">,
  token: string,
  method: string,
  path: string,
  body?: unknown,
  headers: object = {},
): Promise<Reply> {
  const url = `/api/v1/external/orgs/acme/${path}`;
  const reply = await presence.app.inject({
    method: method as "GET",
    url,
    headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...headers },
    ...(body === undefined ? {} : { body: body as object }),
  });
  const answer = reply.body === "" ? undefined : JSON.parse(reply.body);
  await assertFits(presence, method, url, reply.statusCode, answer);
  return { status: reply.statusCode, headers: reply.headers, body: answer };
}
