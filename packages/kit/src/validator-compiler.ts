import type { FastifySchemaCompiler } from "fastify";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Value } from "typebox/value";
import { validationErrors } from "./validation-errors.ts";

/** Reads what came as text in a path, a query or a head as what its schema wants. */
export type FromText = (schema: TSchema, given: unknown, httpPart: string | undefined) => unknown;

const convert: FromText = (schema, given, httpPart) =>
  httpPart === "body" ? given : Value.Convert(schema, given);

/** Requests are checked by compiled schemas, and what does not fit is refused with the places where it does not. */
export const validatorCompiler =
  (fromText: FromText = convert): FastifySchemaCompiler<TSchema> =>
  ({ schema, httpPart }) => {
    const check = Compile(schema);
    return (given: unknown) => {
      const value = fromText(schema, given, httpPart);
      return check.Check(value) ? { value } : { error: validationErrors(schema, value) as unknown as Error };
    };
  };
