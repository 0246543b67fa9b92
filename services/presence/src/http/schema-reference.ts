import { type Static, type TSchema, Type } from "typebox";

/** Named schemas are registered once with the server and referred to. */
export const ref = <S extends TSchema>(schema: S & { readonly $id?: string }) =>
  Type.Unsafe<Static<S>>({ $ref: `${schema.$id}#` });

export const pageOf = <S extends TSchema>(schema: S & { readonly $id?: string }) =>
  Type.Object({
    data: Type.Array(ref(schema)),
    nextCursor: Type.Union([Type.String(), Type.Null()], { description: "Null on the last page." }),
  });
