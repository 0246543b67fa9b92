import { join } from "node:path";
import type { TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { createHttpServer, type HttpServer } from "@frontdesk/kit/http-server";
import { countingIds } from "@frontdesk/kit/ids";
import { createLog } from "@frontdesk/kit/log";
import type { Mail } from "@frontdesk/kit/mailer";
import { memoryLimitStore } from "@frontdesk/store/limit-store";
import { openStore } from "@frontdesk/store/open-store";
import { createHourlyLimits } from "@frontdesk/store/timed-limits";
import { fakeClock } from "@frontdesk/testkit/clock";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import type { Generated, Kysely } from "kysely";
import { authRoutes, sessionRoutes } from "../src/auth-routes.ts";
import { codeRows } from "../src/code-rows.ts";
import { createDevices } from "../src/devices.ts";
import { SIGNIN_LIMITED, type SigninLimited } from "../src/limits.ts";
import { signinMigrations } from "../src/migrations.ts";
import { createOneTimeCodes } from "../src/one-time-codes.ts";
import { SIGNIN_STATUS_OF } from "../src/refusals.ts";
import { createSecondFactor } from "../src/second-factor.ts";
import { secondFactorRows } from "../src/second-factor-rows.ts";
import { securityRoutes } from "../src/security-routes.ts";
import { signinTables } from "../src/service-tables.ts";
import { callerOf, originGate, sessionGate } from "../src/session-gate.ts";
import { sessionKeys } from "../src/session-keys.ts";
import { sessionRows } from "../src/session-rows.ts";
import { createSessions } from "../src/sessions.ts";
import { type Accounts, createSignIn, type SigninRows } from "../src/sign-in.ts";

interface Tables {
  guests: { id: Generated<number>; address: string };
}

const PUBLIC_URL = "https://hotel.example";
const COOKIE = "hotel_session";

/** A service that has nothing to do with ours: a hotel whose guests have numbers. */
export async function hotel(t: TestContext, limits: Partial<Record<SigninLimited, number>> = {}) {
  const clock = fakeClock();
  const log = createLog({ service: "hotel", level: "silent", settings: {} });
  const store = await openStore<Tables>({
    url: pathToFileURL(join(temporaryHome(t), "hotel.db")),
    migrations: {
      service: "hotel",
      steps: {
        ...signinMigrations("hotel"),
        "001-guests": async (tx) => {
          await tx.schema
            .createTable("guests")
            .addColumn("id", "integer", (column) => column.primaryKey())
            .addColumn("address", "text", (column) => column.notNull().unique())
            .execute();
        },
      },
    },
    clock,
  });
  const keys = sessionKeys({
    listed: ["a key of at least thirty-two characters"],
    setting: "HOTEL_SESSION_KEYS",
    file: "",
  });
  const mails: Mail[] = [];
  const mailServer: { failure?: Error } = {};
  const database: { failure?: Error; accounts?: Accounts } = {};
  const cookie = { name: COOKIE, domain: undefined, secure: true };
  const plenty = Object.fromEntries(SIGNIN_LIMITED.map((name) => [name, 10_000]));
  const signIn = createSignIn({
    store: {
      read: rowsOf(store.read),
      change: async (work) => {
        if (database.failure) throw database.failure;
        const { accounts } = database;
        return store.write((tx) => work({ ...rowsOf(tx), ...(accounts ? { accounts } : {}) }));
      },
    },
    codes: createOneTimeCodes({ keys, clock }),
    factor: createSecondFactor({ keys, clock, issuer: "hotel.example" }),
    sessions: createSessions({ keys, clock, cookie }),
    devices: createDevices({ keys, clock, session: cookie }),
    limits: createHourlyLimits<SigninLimited>(await memoryLimitStore(clock, log), "hotel", {
      ...(plenty as Record<SigninLimited, number>),
      ...limits,
    }),
    mail: async (mail) => {
      if (mailServer.failure) throw mailServer.failure;
      mails.push(mail);
    },
    publicUrl: PUBLIC_URL,
    log,
  });
  const app = await createHttpServer({
    log,
    ids: countingIds(),
    title: "Hotel",
    description: "A hotel.",
    version: "1.0.0",
    publicUrl: PUBLIC_URL,
    statusOf: SIGNIN_STATUS_OF,
    health: () => store.ping(),
  });
  app.addHook("onRequest", originGate(PUBLIC_URL));
  authRoutes(app, signIn, { cookie: COOKIE, now: clock.now });
  await app.register(async (instance) => {
    const gated = instance as unknown as HttpServer;
    gated.addHook("onRequest", sessionGate(signIn, clock.now));
    sessionRoutes(gated, signIn);
    securityRoutes(gated, signIn, async (id) => `guest ${id}`);
    gated.get("/room", async (request) => ({ guest: callerOf(request).accountId }));
  });
  t.after(async () => {
    await app.close();
    await store.close();
  });
  const codeFor = (address: string) =>
    /^ {4}(\d{6})$/m.exec(mails.findLast(({ to }) => to === address)?.text ?? "")?.[1] ?? "";

  /** Somebody at a browser, in some network. */
  function guest(from = "192.0.2.1") {
    const cookies = new Map<string, string>();
    const self = {
      cookie: "",
      call: async (method: "GET" | "POST" | "DELETE", url: string, body?: object) => {
        const reply = await app.inject({
          method,
          url,
          remoteAddress: from,
          headers: { host: "hotel.example", ...(self.cookie ? { cookie: self.cookie } : {}) },
          ...(body ? { body } : {}),
        });
        for (const set of [reply.headers["set-cookie"] ?? []].flat()) {
          const [name = "", value = ""] = (set.split(";")[0] ?? "").split(/=(.*)/);
          if (value) cookies.set(name, value);
          else cookies.delete(name);
        }
        self.cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
        return { status: reply.statusCode, body: reply.json(), headers: reply.headers };
      },
      signIn: async (email: string, totp?: string) => {
        await self.call("POST", "/auth/code", { email });
        const code = codeFor(email.toLowerCase());
        return self.call("POST", "/auth/verify", { email, code, ...(totp ? { totp } : {}) });
      },
    };
    return self;
  }
  return { clock, mails, mailServer, database, codeFor, guest };
}

function rowsOf(tx: Kysely<Tables>): SigninRows {
  const signin = signinTables("hotel", tx as unknown as Kysely<never>);
  const find = async (address: string) => {
    const guests = tx.selectFrom("guests").select("id").where("address", "=", address);
    const guest = await guests.executeTakeFirst();
    return guest && String(guest.id);
  };
  const create = async (address: string) => {
    const guest = tx.insertInto("guests").values({ address }).returning("id");
    return String((await guest.executeTakeFirstOrThrow()).id);
  };
  return {
    codes: codeRows(signin),
    sessions: sessionRows(signin),
    factors: secondFactorRows(signin),
    accounts: { findOrCreate: async (address) => (await find(address)) ?? create(address) },
  };
}
