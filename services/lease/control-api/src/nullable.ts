import { type Static, type TSchema, Type } from "typebox";

/**
 * A value of one JSON type, or null. Written as a list of types, not as a union: the serialiser tells
 * null by a look at the value, where it would run a validator for each branch of a union.
 */
export const nullable = <T extends TSchema & { type: string }>({ type, ...rest }: T) =>
  Type.Unsafe<Static<T> | null>({ ...rest, type: [type, "null"] });
