/** An operation that a service publishes. Types alone: nothing of them is in a page. */
export interface Operation {
  readonly query?: unknown;
  readonly body?: unknown;
  /** What is sent is a form with files. */
  readonly form?: FormData;
  /** What is sent is plain text. */
  readonly text?: string;
  readonly reply: unknown;
}

/** By method and path, as the service's OpenAPI document has them: `PUT /printers/{id}`. */
export type Operations = Readonly<Record<string, Operation>>;

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** The version that a write is based on: the server refuses it (412) where it has another one. */
  readonly ifMatch?: string;
  /** `*`: the write makes something new, and is refused (412) where it is there already. */
  readonly ifNoneMatch?: "*";
}

type Holes<Name> = Name extends `${string}{${infer Hole}}${infer Rest}` ? Hole | Holes<Rest> : never;

type PathOf<Name> = [Holes<Name>] extends [never]
  ? unknown
  : { readonly path: Readonly<Record<Holes<Name>, string>> };
type QueryOf<O> = O extends { readonly query: infer Query }
  ? Partial<Query> extends Query
    ? { readonly query?: Query }
    : { readonly query: Query }
  : unknown;
type BodyOf<O> = O extends { readonly body: infer Body } ? { readonly json: Body } : unknown;
type TextOf<O> = O extends { readonly text: infer Text } ? { readonly text: Text } : unknown;
type FormOf<O> = O extends { readonly form: infer Form } ? { readonly form: Form } : unknown;

/** What a call of an operation has to say. */
export type Call<Name, O> = CallOptions & PathOf<Name> & QueryOf<O> & BodyOf<O> & FormOf<O> & TextOf<O>;

/** A call that has nothing to say but its name may say nothing. */
export type CallArguments<Name, O> =
  CallOptions extends Call<Name, O> ? [call?: Call<Name, O>] : [call: Call<Name, O>];

/** Any call, once it is known to fit its operation. */
export interface AnyCall extends CallOptions {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly json?: unknown;
  readonly form?: FormData;
  readonly text?: string;
}

/** `PUT /printers/{id}` with its path filled in and its query behind it. */
export function addressOf(operation: string, { path = {}, query = {} }: AnyCall) {
  const at = operation.indexOf(" ");
  const filled = operation
    .slice(at + 1)
    .replace(/\{(\w+)\}/g, (_hole, name: string) => encodeURIComponent(path[name] ?? ""));
  const asked = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
  return { method: operation.slice(0, at), url: asked.size > 0 ? `${filled}?${asked}` : filled };
}
