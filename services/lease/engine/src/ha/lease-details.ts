import { timeIn } from "../leases/binding.ts";
import type { LeaseRecord } from "../leases/lease-record.ts";
import type { Lease6Record } from "../leases/lease6-record.ts";
import { added, address, bytes, type Codec, nullable, struct, text, u32 } from "./codec.ts";
import { OctetReader, OctetWriter } from "./octets.ts";

type Details = Omit<LeaseRecord, "ip" | "state" | "until">;
type Details6 = Omit<Lease6Record, "address" | "state" | "until">;

/** An IPv6 address of a record; 0 where there is none. */
const address6: Codec<bigint> = {
  read: (reader) => BigInt(address.read(reader)),
  write: (writer, value) => address.write(writer, value),
};

const [maybeBytes, maybeText] = [nullable(bytes), nullable(text)];

const details: Codec<Details> = {
  ...struct<Details>({
    htype: u32,
    mac: bytes,
    clientId: maybeBytes,
    hostname: maybeText,
    fqdn: maybeText,
    vendor: maybeText,
    classes: maybeText,
    starts: u32,
    seen: u32,
    interface: maybeText,
    giaddr: u32,
    circuitId: maybeBytes,
    remoteId: maybeBytes,
    relayAgent: maybeBytes,
    nonce: maybeBytes,
    told: u32,
    renewals: u32,
    digest: u32,
  }),
  /** The same fields in the same order; a million of them are read at once, and this takes half the time. */
  read: (reader) => ({
    htype: reader.u32(),
    mac: bytes.read(reader),
    clientId: maybeBytes.read(reader),
    hostname: maybeText.read(reader),
    fqdn: maybeText.read(reader),
    vendor: maybeText.read(reader),
    classes: maybeText.read(reader),
    starts: reader.u32(),
    seen: reader.u32(),
    interface: maybeText.read(reader),
    giaddr: reader.u32(),
    circuitId: maybeBytes.read(reader),
    remoteId: maybeBytes.read(reader),
    relayAgent: maybeBytes.read(reader),
    nonce: maybeBytes.read(reader),
    told: reader.u32(),
    renewals: reader.u32(),
    digest: reader.u32(),
  }),
};

const details6: Codec<Details6> = struct<Details6>({
  length: u32,
  duid: bytes,
  iaid: u32,
  mac: bytes,
  hostname: nullable(text),
  vendor: nullable(text),
  classes: nullable(text),
  starts: u32,
  preferred: u32,
  seen: u32,
  interface: nullable(text),
  link: address6,
  peer: address6,
  interfaceId: nullable(bytes),
  remoteId: nullable(bytes),
  relays: nullable(bytes),
  reconfigureKey: nullable(bytes),
  told: u32,
  renewals: u32,
  digest: u32,
  earlierLength: added(u32, 0),
  earlierUntil: added(u32, 0),
});

const writer = new OctetWriter();

const encoded = <T>(codec: Codec<T>, value: T): Uint8Array => {
  writer.clear();
  codec.write(writer, value);
  return writer.written;
};

type Times = Pick<Details, "starts" | "seen" | "told">;

/** 0 stands for none. */
const shiftedTime = (time: number, by: number) => (time === 0 ? 0 : timeIn(time, by));

function shifted<T extends Times>(lease: T, by: number): T {
  const { starts, seen, told } = lease;
  return by === 0
    ? lease
    : { ...lease, starts: shiftedTime(starts, by), seen: shiftedTime(seen, by), told: shiftedTime(told, by) };
}

const shifted6 = <T extends Details6>(lease: T, by: number): T => ({
  ...shifted(lease, by),
  earlierUntil: shiftedTime(lease.earlierUntil, by),
});

/**
 * All of a lease that no rule of the pair looks at, as it travels with its row: in UTC, which engine time is ahead of by
 * `shift` seconds.
 */
export const encodeDetails = (lease: LeaseRecord, shift = 0) => encoded(details, shifted(lease, -shift));
export const decodeDetails = (octets: Uint8Array, shift = 0): Details =>
  shifted(details.read(new OctetReader(octets)), shift);
export const encodeDetails6 = (lease: Lease6Record, shift = 0) => encoded(details6, shifted6(lease, -shift));
export const decodeDetails6 = (octets: Uint8Array, shift = 0): Details6 =>
  shifted6(details6.read(new OctetReader(octets)), shift);
