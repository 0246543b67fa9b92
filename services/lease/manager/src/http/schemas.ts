import { nullable } from "@frontdesk/lease-control-api/nullable";
import {
  Lease,
  LeaseEvent,
  LeasePage,
  LeaseQuery,
  ONE_LINE,
  Problem,
  Status,
} from "@frontdesk/lease-control-api/schemas";
import { type Static, Type } from "typebox";
import { IMPORT_ACTIONS, IMPORT_PROBLEMS } from "../domain/import-problems.ts";
import { ROLES } from "../domain/role.ts";
import { MAX_USERNAME, USERNAME } from "../domain/users.ts";

/** What the manager's REST API says and takes; the console's types come from here. */
const Time = Type.String({ format: "date-time" });
const Role = Type.Enum([...ROLES]);

export const AddressPath = Type.Object({ ip: Type.String({ maxLength: 45 }) });
const Username = Type.String({ minLength: 1, maxLength: MAX_USERNAME, pattern: USERNAME });
const Password = Type.String({ minLength: 1, maxLength: 1000 });

export const Login = Type.Object(
  { username: Type.String({ maxLength: 200 }), password: Type.String({ maxLength: 1000 }) },
  { additionalProperties: false },
);
export const Me = Type.Object({ user: Type.Object({ username: Type.String(), role: Role }) });
export type Me = Static<typeof Me>;
export const SessionView = Type.Object({ user: nullable(Me.properties.user) });
export const PasswordChange = Type.Object(
  { password: Password, new_password: Password },
  { additionalProperties: false },
);

export const UserView = Type.Object({
  username: Type.String(),
  role: Role,
  created_at: Time,
  last_sign_in_at: nullable(Time),
});
export type UserView = Static<typeof UserView>;
export const UserList = Type.Object({ items: Type.Array(UserView) });
export const NewUser = Type.Object(
  { username: Username, password: Password, role: Role },
  { additionalProperties: false },
);
export const UserChange = Type.Object(
  { role: Type.Optional(Role), password: Type.Optional(Password) },
  { additionalProperties: false },
);
export const UserPath = Type.Object({ username: Type.String({ maxLength: 64 }) });

export const TokenView = Type.Object({
  id: Type.String(),
  name: Type.String(),
  role: Role,
  created_by: Type.String(),
  created_at: Time,
  expires_at: nullable(Time),
  last_used_at: nullable(Time),
});
export type TokenView = Static<typeof TokenView>;
export const TokenList = Type.Object({ items: Type.Array(TokenView) });
export const NewToken = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, pattern: ONE_LINE }),
    role: Role,
    expires_at: Type.Optional(nullable(Time)),
  },
  { additionalProperties: false },
);
export const MadeToken = Type.Object({
  ...TokenView.properties,
  token: Type.String({ description: "Told this once." }),
});

export const AuditPage = Type.Object({
  items: Type.Array(
    Type.Object({
      id: Type.Integer(),
      at: Time,
      actor: Type.String(),
      action: Type.String(),
      subject: nullable(Type.String()),
      details: nullable(Type.String()),
    }),
  ),
  next_cursor: nullable(Type.Integer()),
});
export const AuditQuery = Type.Object({
  cursor: Type.Optional(Type.Integer({ minimum: 1 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
});

export const LeaseView = Type.Object({
  ...Lease.properties,
  maker: nullable(Type.String({ description: "Who made the device, by the prefix of its hardware address" })),
});
export const LeaseViewPage = Type.Object({ ...LeasePage.properties, items: Type.Array(LeaseView) });

const OneOrMore = Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })]);
const reservation = {
  ip: Type.String({ maxLength: 45 }),
  mac: Type.Optional(OneOrMore),
  client_id: Type.Optional(OneOrMore),
  duid: Type.Optional(OneOrMore),
  circuit_id: Type.Optional(OneOrMore),
  interface_id: Type.Optional(OneOrMore),
  remote_id: Type.Optional(OneOrMore),
  hostname: Type.Optional(Type.String({ maxLength: 255 })),
  note: Type.Optional(Type.String({ maxLength: 1000 })),
  enabled: Type.Optional(Type.Boolean()),
};
/** Keys that only the file's own readers know stay as they are. */
export const ReservationBody = Type.Object(reservation, { additionalProperties: true });
const EFFECTS = ["now", "next_renewal", "when_free"] as const;
export const RESERVATION_STATES = ["in_use", "unused", "held_by_another", "disabled"] as const;
export const ReservationView = Type.Object(
  {
    ...reservation,
    prefix: Type.Optional(
      Type.String({ description: "Of DHCPv6: the prefix that is delegated, also beside an address" }),
    ),
    version: Type.String({ description: "Of this reservation; a change or removal names it in If-Match" }),
    subnet: Type.String(),
    status: Type.Enum([...RESERVATION_STATES]),
    held_by: nullable(Type.String()),
    takes_effect: Type.Union([Type.Enum([...EFFECTS]), Type.Null()], {
      description: "`now`: the next time the device asks; null where it is in use or disabled",
    }),
    at: nullable(Type.String({ format: "date-time", description: "When that is, as far as it can be told" })),
  },
  { additionalProperties: true },
);
export type ReservationView = Static<typeof ReservationView>;
export const ReservationList = Type.Object({ items: Type.Array(ReservationView), version: Type.String() });

const ImportRow = Type.Object({
  line: Type.Integer({ description: "Where the row begins in the file" }),
  ip: Type.String(),
  hostname: nullable(Type.String()),
  action: Type.Enum([...IMPORT_ACTIONS]),
  problem: Type.Union([Type.Enum([...IMPORT_PROBLEMS]), Type.Null()]),
  columns: Type.Array(Type.String(), { description: "Those that change, or that the problem is in" }),
});
export const ImportPreview = Type.Object({
  version: Type.String({ description: "The version of the configuration; the import names it in If-Match" }),
  items: Type.Array(ImportRow),
  problems: Type.Array(Problem, { description: "What else the engine would refuse" }),
});
export type ImportPreview = Static<typeof ImportPreview>;
export const Imported = Type.Object({
  version: Type.String(),
  added: Type.Integer(),
  changed: Type.Integer(),
});

export const Applied = Type.Object({
  version: Type.String(),
  restart: Type.Array(Type.String()),
  trial: nullable(
    Type.Object({
      version: Type.String(),
      ends_at: Time,
      seconds_left: Type.Integer({ description: "By the server's clock, when it answered" }),
    }),
  ),
});
const Confirmation = Type.Optional(
  Type.String({ maxLength: 100, description: "Words that were typed, where a refusal asked for them" }),
);
export const ConfigWriteQuery = Type.Object(
  {
    confirmation: Confirmation,
    confirm_within: Type.Optional(Type.Integer({ minimum: 5, maximum: 3600 })),
  },
  // A misspelt `confirm_within` would write for good what was meant to be tried out.
  { additionalProperties: false },
);
export const FullConfig = Type.Object({
  version: Type.String(),
  running: Type.String(),
  restart: Type.Array(Type.String()),
  trial: Applied.properties.trial,
  config: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: "Absent where the file is no TOML" }),
  ),
  problems: Type.Optional(
    Type.Array(Problem, { description: "In its place: what is wrong, and at which line and column" }),
  ),
  text: Type.Optional(
    Type.String({
      description:
        "The file itself, for administrators. What is not UTF-8 in it is shown as U+FFFD; a file that is written is UTF-8",
    }),
  ),
});
export const FullConfigWrite = Type.Object(
  { config: Type.Record(Type.String(), Type.Unknown()) },
  { additionalProperties: false },
);
export const ConfigCheck = Type.Object({
  ok: Type.Boolean(),
  subnets: Type.Optional(Type.Integer()),
  addresses: Type.Optional(Type.Integer()),
  problems: Type.Array(Problem),
});
export const ConfigCandidate = Type.Object(
  {
    config: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    text: Type.Optional(Type.String()),
    id: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    description: "As values, as TOML, or the number of an earlier version",
  },
);
export const ConfigDiff = Type.Object({
  version: Type.String({ description: "The version that it is compared with" }),
  before: Type.String(),
  after: Type.String({ description: "The file as writing the candidate would leave it" }),
  diff: Type.String({ description: "Unified; empty when nothing changes" }),
});
export const VersionList = Type.Object({
  items: Type.Array(
    Type.Object({ id: Type.Integer(), version: Type.String(), at: Time, actor: Type.String() }),
  ),
});
export const VersionPath = Type.Object({ id: Type.Integer({ minimum: 1 }) });
export const VersionText = Type.Object({
  id: Type.Integer(),
  version: Type.String(),
  at: Time,
  actor: Type.String(),
  text: Type.String(),
});
export const Rollback = Type.Object({ id: Type.Integer({ minimum: 1 }) }, { additionalProperties: false });
export const Confirm = Type.Object({ version: Type.String() }, { additionalProperties: false });

export const EngineView = Type.Object({
  process: Type.Object({
    state: Type.Enum(["stopped", "starting", "running", "stopping", "waiting"]),
    pid: nullable(Type.Integer()),
    since: Time,
    restarts: Type.Integer(),
    problem: nullable(Type.String()),
  }),
  status: Type.Union([Status, Type.Null()]),
});
export type EngineView = Static<typeof EngineView>;

export const Rates = Type.Object({
  at: Time,
  discover: Type.Number(),
  ack: Type.Number(),
  nak: Type.Number(),
  errors: Type.Number(),
});
export const Dashboard = Type.Object({
  engine: EngineView,
  rates: Type.Array(Rates, {
    description: "Steps of 30 seconds that begin at `at`, over the last hour; oldest first",
    maxItems: 120,
  }),
  events: Type.Array(LeaseEvent, { description: "The newest" }),
  new_devices: Type.Object({
    count: Type.Integer({
      description: "Devices that got an address today and never before, among the first 20,000 of the day",
    }),
    items: Type.Array(
      Type.Object({
        mac: Type.String(),
        hostname: nullable(Type.String()),
        ip: nullable(Type.String()),
        at: Time,
      }),
      { description: "The newest of them, at most 50" },
    ),
  }),
});
export type Dashboard = Static<typeof Dashboard>;

/** A filter that is not known here would release more than the caller means. */
const FILTER_ONLY = { additionalProperties: false };
export const ReleaseQuery = Type.Object(
  {
    q: LeaseQuery.properties.q,
    subnet: LeaseQuery.properties.subnet,
    class: LeaseQuery.properties.class,
    count: Type.Integer({ minimum: 0, description: "How many the caller expects to release" }),
  },
  FILTER_ONLY,
);
export const HolderQuery = Type.Object({
  ip: Type.String({ maxLength: 45 }),
  at: Type.String({ maxLength: 40 }),
});
export const ReleasableQuery = Type.Omit(ReleaseQuery, ["count"], FILTER_ONLY);
export const Releasable = Type.Object({
  count: Type.Integer({ description: "Active leases that the filter shows, without reserved addresses" }),
});
export const ReleasedMany = Type.Object({ released: Type.Integer() });
