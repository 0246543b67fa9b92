import { HA_STATES } from "@frontdesk/lease-control-api/ha-states";
import {
  added,
  address,
  bool,
  bytes,
  type Codec,
  leaseState,
  list,
  nullable,
  oneOf,
  range,
  role,
  seq,
  sized,
  struct,
  text,
  time,
  u32,
  viewed,
} from "./codec.ts";
import {
  type Hello,
  MAX_DEVICES,
  MAX_ROWS,
  MAX_SERVERS,
  type Message,
  type Mode,
  type RefusedBecause,
  type SentDevice,
  type SentRow,
} from "./messages.ts";
import { Malformed, OctetReader, OctetWriter } from "./octets.ts";

/** Ranges given in one update. */
const MAX_GIVEN = 65_535;

type Body<T extends Message["type"]> = Omit<Extract<Message, { type: T }>, "type">;

const state = oneOf(HA_STATES);

const row: Codec<SentRow> = sized({
  ...struct<SentRow>({
    address,
    client: text,
    state: leaseState,
    server: role,
    end: time,
    promise: time,
    seq,
    base: seq,
    details: viewed,
  }),
  /** The same fields in the same order; a million of them are read at once, and this takes half the time. */
  read: (reader) => ({
    address: address.read(reader),
    client: text.read(reader),
    state: leaseState.read(reader),
    server: role.read(reader),
    end: time.read(reader),
    promise: time.read(reader),
    seq: seq.read(reader),
    base: seq.read(reader),
    details: viewed.read(reader),
  }),
});

const device: Codec<SentDevice> = sized(
  struct<SentDevice>({
    mac: bytes,
    note: nullable(text),
    dnsName: nullable(text),
    changed: seq,
    address: nullable(address),
  }),
);

const hello: Codec<Omit<Hello, "type">> = struct<Omit<Hello, "type">>({
  version: u32,
  node: text,
  store: text,
  peerStore: nullable(text),
  role,
  mode: oneOf<Mode>(["hot-standby", "load-balancing"]),
  identity: text,
  epoch: seq,
  holder: role,
  agreed: seq,
  lastSeq: seq,
  appliedSeq: seq,
  ackedSeq: seq,
  restores: bool,
  state,
  lead: u32,
  skew: u32,
  plan: text,
  clock: time,
  servers: list(text, MAX_SERVERS),
});

/** The messages and their bodies; a message's type on the wire is its place here. */
const BODIES: { readonly [T in Message["type"]]: Codec<Body<T>> } = {
  hello,
  refuse: struct<Body<"refuse">>({
    reason: oneOf<RefusedBecause>(["version", "role", "mode", "identity", "lead", "skew"]),
  }),
  update: struct<Body<"update">>({ rows: list(row, MAX_ROWS), given: list(range, MAX_GIVEN), upTo: seq }),
  ack: struct<Body<"ack">>({ n: seq, m: seq }),
  want: struct<Body<"want">>({ pool: range, count: u32 }),
  page: struct<Body<"page">>({ rows: list(row, MAX_ROWS), isFirst: bool }),
  page_end: struct<Body<"page_end">>({ upTo: seq }),
  beat: struct<Body<"beat">>({
    clock: time,
    echo: nullable(time),
    state,
    serving: bool,
    drained: bool,
    lastSeq: seq,
    plan: text,
    prepared: bool,
    since: time,
    service: text,
    replay: added(seq, 0),
  }),
  handover: struct<Body<"handover">>({ lastSeq: seq }),
  bye: struct<Body<"bye">>({}),
  devices: struct<Body<"devices">>({ devices: list(device, MAX_DEVICES) }),
};
const TYPES = Object.keys(BODIES) as Array<Message["type"]>;

export interface Frame {
  readonly counter: number;
  readonly message: Message;
}

export function encodeFrame({ counter, message }: Frame): Uint8Array {
  const writer = new OctetWriter();
  writer.sized(() => {
    writer.u32(counter);
    writer.u8(TYPES.indexOf(message.type));
    (BODIES[message.type] as Codec<unknown>).write(writer, message);
  });
  return writer.written;
}

/** A frame without its length; what is behind the fields that are known is of a later version, and skipped. */
export function decodeFrame(octets: Uint8Array): Frame {
  const reader = new OctetReader(octets);
  const counter = reader.u32();
  const type = TYPES[reader.u8()];
  if (type === undefined) throw new Malformed("a message of an unknown type");
  const body = (BODIES[type] as Codec<object>).read(reader);
  return { counter, message: { type, ...body } as Message };
}
