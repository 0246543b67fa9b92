import { type Static, Type } from "typebox";
import { EVENT_TYPES } from "./event-types.ts";
import { nullable } from "./nullable.ts";

/**
 * Everything the engine's control API says and takes. The engine validates and serialises by these
 * schemas; the manager, the console and leasectl import their types.
 */
const Text = nullable(Type.String());
const Time = (description?: string) =>
  nullable(Type.String(description ? { format: "date-time", description } : { format: "date-time" }));

/** With every reply: by it a caller knows the engine from another program that has its port. */
export const CONTROL_HEADER = { name: "frontdesk-control-api", version: "1" } as const;

export const LEASE_STATES = ["active", "released", "expired", "declined"] as const;
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

const words = <const W extends string[]>(of: readonly [...W]) => Type.Enum([...of]);

export const Lease = Type.Object(
  {
    ip: Type.String(),
    mac: Text,
    client_id: Text,
    duid: Text,
    iaid: nullable(Type.Integer({ description: "Of DHCPv6: which of the client's leases it is" })),
    hostname: Text,
    fqdn: Text,
    vendor: Text,
    state: words(LEASE_STATES),
    subnet: Text,
    starts_at: Time(),
    expires_at: Time("null: for ever"),
    last_seen_at: Time(),
    renews_at: Time("T1: when its device renews by itself; null: never, or not known"),
    reserved: Type.Boolean(),
    class: Text,
    interface: Text,
    relay: Text,
    circuit_id: Text,
    remote_id: Text,
    renewals: Type.Integer({ description: "Renewals that no event has told of yet" }),
    ddns: nullable(
      Type.Object(
        { name: Type.String(), state: Type.String(), error: Text },
        { description: "null: no name is kept in DNS for this lease" },
      ),
    ),
    note: nullable(Type.String({ description: "What people say of the device; it outlives the lease" })),
    dns_name: nullable(Type.String({ description: "The name that the device shall have in DNS" })),
    version: Type.String({
      description: "Of the device, its note and its DNS name; a change or release may name it in If-Match",
    }),
  },
  { $id: "Lease" },
);
export type Lease = Static<typeof Lease>;

export const LeasePage = Type.Object({
  items: Type.Array(Lease),
  next_cursor: Text,
  total: Type.Integer(),
});
export type LeasePage = Static<typeof LeasePage>;

const MAX_NOTE = 1000;
/** What is searched for in the fields of leases. */
export const MAX_SEARCHED = 200;
/** No control characters, line separators, or marks that turn the direction of text. */
export const ONE_LINE = "^[^\\p{Cc}\\p{Cs}\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]+$";
/** RFC 1035 section 2.3.4: a name has at most 253 characters, a label 63. */
const DNS_LABEL = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?";

export const LeaseChange = Type.Object(
  {
    note: Type.Optional(nullable(Type.String({ maxLength: MAX_NOTE, pattern: ONE_LINE }))),
    dns_name: Type.Optional(
      nullable(Type.String({ maxLength: 253, pattern: `^${DNS_LABEL}(\\.${DNS_LABEL})*$` })),
    ),
  },
  { additionalProperties: false, description: "null takes it away; what is not named stays" },
);
export type LeaseChange = Static<typeof LeaseChange>;

const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 }));

export const MAX_RELEASES = 1000;
export const ReservedLeases = Type.Object({
  items: Type.Array(Lease),
  elsewhere: Type.Array(Lease, {
    description: "Active leases of addresses that are not reserved, of devices for which another address is",
  }),
});
export type ReservedLeases = Static<typeof ReservedLeases>;

export const Releases = Type.Object(
  {
    addresses: Type.Array(Type.String({ maxLength: 45 }), { maxItems: MAX_RELEASES }),
    versions: Type.Optional(
      Type.Record(Type.String({ maxLength: 45 }), Type.String({ maxLength: 64 }), {
        maxProperties: MAX_RELEASES,
        description:
          "By address, the `version` of the lease that is meant: one that is another's by now stays",
      }),
    ),
  },
  { additionalProperties: false },
);
export const Released = Type.Object({
  released: Type.Integer({ description: "Without those that had no lease any more, or another one" }),
});

export const LeaseQuery = Type.Object({
  q: Type.Optional(Type.String({ maxLength: MAX_SEARCHED, description: "Part of any field that is shown" })),
  subnet: Type.Optional(Type.String()),
  state: Type.Optional(words(LEASE_STATES)),
  class: Type.Optional(Type.String({ maxLength: 200 })),
  cursor: Type.Optional(Type.String()),
  limit: Limit,
});

export const LeaseEvent = Type.Object(
  {
    id: Type.Integer({ description: "Numbered without gaps" }),
    at: Type.String({ format: "date-time" }),
    type: words(EVENT_TYPES),
    ip: Text,
    mac: Text,
    client_id: Text,
    duid: Text,
    hostname: Text,
    relay: Text,
    circuit_id: Text,
    remote_id: Text,
    expires_at: Time(),
    reason: nullable(Type.String({ description: "Why, as a code" })),
    renewals: Type.Integer({ description: "Renewals since the last event of this lease" }),
    config: Type.String({ description: "The version of the configuration it was decided by" }),
  },
  { $id: "LeaseEvent" },
);
export type LeaseEvent = Static<typeof LeaseEvent>;

export const EventPage = Type.Object({
  items: Type.Array(LeaseEvent),
  next_cursor: nullable(Type.Integer()),
  last: Type.Integer({ description: "The number of the newest event" }),
});
export type EventPage = Static<typeof EventPage>;

export const EventQuery = Type.Object({
  ip: Type.Optional(Type.String()),
  mac: Type.Optional(Type.String()),
  type: Type.Optional(words(EVENT_TYPES)),
  from: Type.Optional(Type.String()),
  to: Type.Optional(Type.String()),
  cursor: Type.Optional(Type.Integer({ minimum: 1, description: "Newest first, before this number" })),
  after: Type.Optional(Type.Integer({ minimum: 0, description: "Oldest first, after this number" })),
  limit: Limit,
});

export const Holder = Type.Object({
  holder: nullable(
    Type.Object({
      ip: Type.String(),
      mac: Text,
      client_id: Text,
      duid: Text,
      hostname: Text,
      event: Type.Union([LeaseEvent, Type.Null()]),
    }),
  ),
});
export type Holder = Static<typeof Holder>;

export const Pool = Type.Object({
  subnet: Type.String(),
  network: Type.String(),
  first: Type.String(),
  last: Type.String(),
  size: Type.Integer(),
  usable: Type.Integer({
    description: "Addresses that the pool gives to anyone: those that are not reserved",
  }),
  bound: Type.Integer(),
  offered: Type.Integer(),
  declined: Type.Integer(),
  reserved: Type.Integer({ description: "Reserved addresses inside the pool that nobody holds" }),
  free: Type.Integer(),
  full_in_hours: nullable(
    Type.Number({
      description: "If it goes on as in the last day; null when it does not fill up within a month",
    }),
  ),
});
export type Pool = Static<typeof Pool>;

const ConfigVersions = {
  running: Type.String({ description: "The version that runs" }),
  file: nullable(Type.String({ description: "The version in the file; null when it cannot be read" })),
  restart: Type.Array(Type.String(), { description: "Settings that are changed and wait for a restart" }),
  trial: nullable(
    Type.Object(
      {
        version: Type.String(),
        ends_at: Type.String({ format: "date-time" }),
        seconds_left: Type.Integer({ description: "By the server's clock, when it answered" }),
      },
      {
        description: "A change that is taken back unless it is confirmed",
      },
    ),
  ),
};

export const Status = Type.Object(
  {
    started_at: Type.String({ format: "date-time" }),
    uptime_seconds: Type.Integer(),
    healthy: Type.Boolean(),
    problems: Type.Array(Type.String(), { description: "Why it is not healthy" }),
    active_leases: Type.Integer(),
    last_event: Type.Integer(),
    clock_offset_seconds: Type.Number({ description: "Engine time minus wall time" }),
    config: Type.Object(ConfigVersions),
    interfaces: Type.Array(
      Type.Object({
        name: Type.String(),
        served: Type.Boolean(),
        carrier: Type.Optional(
          Type.Boolean({
            description: "It is up, and so is the link; an engine from before an update does not tell",
          }),
        ),
        addresses: Type.Array(Type.String()),
      }),
    ),
    pools: Type.Array(Pool),
    crowded_ports: Type.Array(Type.Object({ port: Type.String(), held: Type.Integer() }), {
      description:
        "Ports that hold more than 256 addresses. `port`: the relay and its identifier of the port; of one longer than 32 octets, the first 16, `~` and a hash",
    }),
    counters: Type.Record(Type.String(), Type.Number()),
  },
  { $id: "EngineStatus" },
);
export type Status = Static<typeof Status>;

export const Problem = Type.Object({ line: Type.Integer(), column: Type.Integer(), message: Type.String() });
export const Problems = Type.Object({ error: Type.String(), problems: Type.Array(Problem) });
export type Problems = Static<typeof Problems>;

export const ConfigState = Type.Object({
  ...ConfigVersions,
  text: Type.String({ description: "The TOML that runs" }),
  file_text: Text,
});
export type ConfigState = Static<typeof ConfigState>;

export const ConfigApplied = Type.Object({
  version: Type.String(),
  restart: Type.Array(Type.String()),
  trial: ConfigVersions.trial,
});
export type ConfigApplied = Static<typeof ConfigApplied>;

export const ConfigChanged = Type.Object({
  error: Type.String(),
  version: Type.String({ description: "The version that is in the file now" }),
});
export const ConfigQuery = Type.Object(
  {
    confirm_within: Type.Optional(
      Type.Integer({
        minimum: 5,
        maximum: 3600,
        description: "Seconds; unless confirmed by then, it is taken back",
      }),
    ),
  },
  // A misspelt `confirm_within` would write for good what was meant to be tried out.
  { additionalProperties: false },
);
/** Of the trial that is meant: by now it may be somebody else's. */
export const ConfigTakeBackQuery = Type.Object(
  {
    version: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          "Of the trial that was seen: refused with `no_trial` where another one is tried out by now. Absent: whichever is tried out",
      }),
    ),
  },
  { additionalProperties: false },
);
export const ConfigConfirm = Type.Object({ version: Type.String() }, { additionalProperties: false });

export const ConfigChecked = Type.Object({
  version: Type.String(),
  subnets: Type.Integer(),
  addresses: Type.Integer({ description: "Addresses in pools, without those excluded" }),
});
export type ConfigChecked = Static<typeof ConfigChecked>;

/** 255 octets, each of two digits and a colon. */
const MAX_CLIENT_ID_TEXT = 765;
/** 130 octets. */
const MAX_DUID_TEXT = 390;
/** What a relay says of a client's port: a text, or up to 255 octets in hex after 0x, as a lease shows it. */
const PortText = (description: string) => Type.Optional(Type.String({ maxLength: 512, description }));
/** Linux has no longer ones (IFNAMSIZ). */
const MAX_INTERFACE_NAME = 15;

export const ExplainQuery = Type.Object(
  {
    mac: Type.Optional(
      Type.String({ description: "Of DHCPv4; with `duid`, what a relay says of the client" }),
    ),
    client_id: Type.Optional(Type.String({ maxLength: MAX_CLIENT_ID_TEXT })),
    giaddr: Type.Optional(Type.String()),
    circuit_id: PortText("Of DHCPv4: what the relay says; a text, or octets in hex after 0x"),
    interface_id: PortText("Of DHCPv6: the same"),
    remote_id: PortText("Of both: the same"),
    options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    interface: Type.Optional(
      Type.String({
        maxLength: MAX_INTERFACE_NAME,
        description:
          "The interface that the client is heard through; where it is not told or not served, the one towards `giaddr`, or else the first",
      }),
    ),
    duid: Type.Optional(Type.String({ maxLength: MAX_DUID_TEXT, description: "Asks DHCPv6" })),
    iaid: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 0xffff_ffff,
        description: "Of DHCPv6: which of the client's leases is asked for; 1 where it is not told",
      }),
    ),
    link: Type.Optional(
      Type.String({ maxLength: 45, description: "Of DHCPv6: the link that a relay names" }),
    ),
    prefix: Type.Optional(Type.Boolean({ description: "Of DHCPv6: a prefix instead of an address" })),
  },
  { additionalProperties: false },
);

export const Explanation = Type.Object({
  outcome: Type.String(),
  steps: Type.Array(Type.String()),
  reply: nullable(
    Type.Object({
      type: Type.String(),
      ip: Type.String(),
      lease_time: Type.Integer(),
      options: Type.Record(Type.String(), Type.Unknown()),
    }),
  ),
});
export type Explanation = Static<typeof Explanation>;

export const LogQuery = Type.Object({
  level: Type.Optional(words(LOG_LEVELS)),
  q: Type.Optional(Type.String({ maxLength: 200 })),
  client: Type.Optional(
    Type.String({ maxLength: 200, description: "A hardware address or an address that the line tells of" }),
  ),
  limit: Limit,
});

export const LogLine = Type.Object({
  time: Type.String({ format: "date-time" }),
  level: words(LOG_LEVELS),
  message: Type.String(),
  details: Type.Record(Type.String(), Type.Unknown()),
});
export const LogPage = Type.Object({ items: Type.Array(LogLine) });
export type LogPage = Static<typeof LogPage>;

/** Every refusal, and the sentence for a person. */
export const REFUSALS = {
  bad_address: "That is not an address.",
  bad_duid: "That is not a DUID: octets in hex like 00:03:00:01:02:00:00:00:00:50.",
  other_protocol:
    "With a DUID it is DHCPv6 that explains, which knows no client_id, giaddr, circuit_id and options; without one DHCPv4, which knows no iaid, link, interface_id and prefix.",
  dhcpv6_off: "DHCPv6 is switched off.",
  bad_mac: "That is not a hardware address like 02:00:00:00:00:50.",
  bad_option: "One of the options is not known, or its value does not fit.",
  bad_time: "That is not a time.",
  unauthorized: "The engine wants another token: give it with --token.",
  cross_origin: "Requests from web pages are refused.",
  wrong_host: "The request names another host.",
  no_lease: "There is no lease on that address.",
  lease_changed:
    "Another device has that address meanwhile, or somebody has changed the note or the DNS name: look at it, then try again.",
  no_hardware_address: "What has that address is not known by a hardware address, which notes are kept by.",
  no_nonce:
    "That client did not say that it understands FORCERENEW with a nonce (RFC 6704), or RECONFIGURE in DHCPv6.",
  no_way: "The engine has no interface towards that address.",
  ddns_off: "Names are not kept in DNS: [ddns] is switched off.",
  ddns_peer_away:
    "The two nodes of the pair are not together: the other may have given addresses, and names, that are not known here.",
  dns_unreadable: "A DNS server does not answer, or does not let itself be asked: nothing was compared.",
  not_saved: "It could not be written to disk: nothing has changed.",
  no_trial: "No such change is being tried out.",
  if_match_needed: "Say with If-Match which version of the file you have seen.",
  config_changed: "The file has changed since you read it.",
  config_unwritable: "The engine may not write the configuration file.",
  bad_config: "The configuration has mistakes.",
  too_many_streams: "Too many streams are open.",
  ha_off: "This engine is not one of a pair: [ha] is switched off.",
  ha_not_paired:
    "This node is not paired and serves nobody: run leasectl ha pair on the primary, and the line that it prints on the secondary.",
  ha_refused: "The pair does not allow it.",
  ha_no_nodes: "Give [ha] primary and secondary in the configuration first.",
  invalid_request: "The engine does not understand one of these values.",
} as const;
export type RefusalCode = keyof typeof REFUSALS;

/** The HTTP status of each refusal. */
export const REFUSAL_STATUS = {
  bad_address: 400,
  bad_duid: 400,
  bad_mac: 400,
  bad_option: 400,
  other_protocol: 400,
  bad_time: 400,
  invalid_request: 400,
  unauthorized: 401,
  cross_origin: 403,
  wrong_host: 403,
  no_lease: 404,
  ha_off: 404,
  ha_not_paired: 409,
  ha_refused: 409,
  no_hardware_address: 409,
  no_nonce: 409,
  no_way: 409,
  no_trial: 409,
  dhcpv6_off: 409,
  ddns_off: 409,
  config_unwritable: 409,
  config_changed: 412,
  lease_changed: 412,
  bad_config: 422,
  ha_no_nodes: 422,
  if_match_needed: 428,
  ddns_peer_away: 409,
  dns_unreadable: 503,
  not_saved: 503,
  too_many_streams: 503,
} as const satisfies Record<RefusalCode, number>;
