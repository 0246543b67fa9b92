import type { Static, TSchema } from "typebox";

/** What a service publishes of an operation, for those who call it. */
interface Described {
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** What is sent is a form with files. */
  readonly form?: true;
  /** What is sent is plain text. */
  readonly text?: true;
  readonly reply: TSchema;
}

/** Operations by method and path, as the OpenAPI document has them: `PUT /printers/{id}`. */
export type OperationTable = Readonly<Record<string, Described>>;

/** The same as types. */
export type OperationsOf<Table extends OperationTable> = {
  readonly [Name in keyof Table]: (Table[Name] extends { readonly query: infer Query extends TSchema }
    ? { readonly query: Static<Query> }
    : unknown) &
    (Table[Name] extends { readonly body: infer Body extends TSchema }
      ? { readonly body: Static<Body> }
      : unknown) &
    (Table[Name] extends { readonly form: true } ? { readonly form: FormData } : unknown) &
    (Table[Name] extends { readonly text: true } ? { readonly text: string } : unknown) & {
      readonly reply: Static<Table[Name]["reply"]>;
    };
};
