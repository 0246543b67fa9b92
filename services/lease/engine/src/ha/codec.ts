import { type Address, type State as LeaseState, STATE } from "../leases/binding.ts";
import { Malformed, type OctetReader, type OctetWriter } from "./octets.ts";
import type { AddressRange, Role } from "./ownership.ts";

export interface Codec<T> {
  read(reader: OctetReader): T;
  write(writer: OctetWriter, value: T): void;
}

/** A number of a change. */
export const seq: Codec<number> = {
  read: (reader) => {
    const value = reader.u32() * 2 ** 32 + reader.u32();
    if (!Number.isSafeInteger(value)) throw new Malformed(`${value} is no number of a change`);
    return value;
  },
  write: (writer, value) => {
    writer.u32(Math.floor(value / 2 ** 32));
    writer.u32(value % 2 ** 32);
  },
};

/** Seconds. */
export const time: Codec<number> = {
  read: (reader) => {
    const value = reader.f64();
    if (!Number.isFinite(value) || value < 0) throw new Malformed(`${value} is no time`);
    return value;
  },
  write: (writer, value) => writer.f64(value),
};

export const u32: Codec<number> = {
  read: (reader) => reader.u32(),
  write: (writer, value) => writer.u32(value),
};

export const text: Codec<string> = {
  read: (reader) => reader.text(reader.u16()),
  write: (writer, value) => writer.text(value),
};

export const bytes: Codec<Uint8Array> = {
  read: (reader) => reader.bytes(reader.u32()),
  write: (writer, value) => {
    writer.u32(value.length);
    writer.bytes(value);
  },
};

/** The same, not copied out of the message: for what is read of it at once. */
export const viewed: Codec<Uint8Array> = { ...bytes, read: (reader) => reader.view(reader.u32()) };

/** One of a few values, by its place among them. A later version may add to the end. */
export function oneOf<T>(values: readonly T[]): Codec<T> {
  return {
    read: (reader) => {
      const at = reader.u8();
      if (at >= values.length) throw new Malformed(`${at} stands for none of ${values.length} values`);
      return values[at] as T;
    },
    write: (writer, value) => writer.u8(values.indexOf(value)),
  };
}

export const bool = oneOf([false, true]);
export const role = oneOf<Role>(["primary", "secondary"]);
export const leaseState = oneOf<LeaseState>(Object.values(STATE));

export const nullable = <T>(codec: Codec<T>): Codec<T | null> => ({
  read: (reader) => (bool.read(reader) ? codec.read(reader) : null),
  write: (writer, value) => {
    bool.write(writer, value !== null);
    if (value !== null) codec.write(writer, value);
  },
});

/** At the end of a message: the version before does not send it. */
export const added = <T>(codec: Codec<T>, otherwise: T): Codec<T> => ({
  read: (reader) => (reader.left > 0 ? codec.read(reader) : otherwise),
  write: codec.write,
});

/** With its length: what a later version adds to the end is skipped. */
export const sized = <T>(codec: Codec<T>): Codec<T> => ({
  read: (reader) => codec.read(reader.part(reader.u32())),
  write: (writer, value) => writer.sized(() => codec.write(writer, value)),
});

export const list = <T>(codec: Codec<T>, max: number): Codec<readonly T[]> => ({
  read: (reader) => {
    const count = reader.u16();
    if (count > max) throw new Malformed(`${count} entries where ${max} are the most`);
    return Array.from({ length: count }, () => codec.read(reader));
  },
  write: (writer, values) => {
    writer.u16(values.length);
    for (const value of values) codec.write(writer, value);
  },
});

/** The fields of an object, in their order. */
export function struct<T extends object>(fields: { readonly [K in keyof T]-?: Codec<T[K]> }): Codec<T> {
  const names = Object.keys(fields) as Array<keyof T>;
  const codecs = names.map((name) => fields[name] as Codec<T[keyof T]>);
  // Rows go through here by the hundred thousand: nothing is made beside the value itself.
  return {
    read: (reader) => {
      const value = {} as T;
      for (let i = 0; i < names.length; i++) {
        value[names[i] as keyof T] = (codecs[i] as Codec<T[keyof T]>).read(reader);
      }
      return value;
    },
    write: (writer, value) => {
      for (let i = 0; i < names.length; i++) {
        (codecs[i] as Codec<T[keyof T]>).write(writer, value[names[i] as keyof T]);
      }
    },
  };
}

const HALF = 64n;

export const address: Codec<Address> = {
  read: (reader) => {
    const family = reader.u8();
    if (family === 4) return reader.u32();
    if (family !== 6) throw new Malformed(`${family} is no family of addresses`);
    const words = Array.from({ length: 4 }, () => BigInt(reader.u32()));
    return words.reduce((sum, word) => (sum << 32n) | word, 0n);
  },
  write: (writer, value) => {
    if (typeof value === "number") {
      writer.u8(4);
      writer.u32(value);
      return;
    }
    writer.u8(6);
    for (const shift of [HALF + 32n, HALF, 32n, 0n]) writer.u32(Number((value >> shift) & 0xffffffffn));
  },
};

const ends = struct<AddressRange>({ first: address, last: address });

export const range: Codec<AddressRange> = {
  write: ends.write,
  read: (reader) => {
    const value = ends.read(reader);
    if (typeof value.first !== typeof value.last || value.first > value.last)
      throw new Malformed("a range that ends before it begins");
    return value;
  },
};
