import { connection } from "./connection.ts";
import { count } from "./formats.ts";
import { awaitAnswer, MAX_ANSWER_MS, MAX_UPLOAD_MS } from "./late-answer.ts";
import { type AnyCall, addressOf, type CallArguments, type Operations } from "./operations.ts";
import { timesLeft } from "./when-left.ts";
import { t } from "./words/frame.ts";

/** What is wrong with one field of what was sent. */
export interface FieldError {
  /** A JSON pointer, as RFC 9457 problem details carry it: `/printer/address`. */
  readonly pointer: string;
  readonly detail: string;
}

/** What the server refused and why, in a sentence for the person and a code for the program. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly status: number;
  readonly code: string;
  readonly retryAfterSeconds: number | undefined;
  readonly fields: readonly FieldError[];
  /** What the server has now, where it refused a write to an older version (412). */
  readonly current: unknown;

  constructor(refusal: {
    status: number;
    code: string;
    message: string;
    retryAfterSeconds?: number | undefined;
    fields?: readonly FieldError[];
    current?: unknown;
  }) {
    super(refusal.message);
    this.status = refusal.status;
    this.code = refusal.code;
    this.retryAfterSeconds = refusal.retryAfterSeconds;
    this.fields = refusal.fields ?? [];
    this.current = refusal.current;
  }

  /** What is wrong with a field, by the name it has in what was sent, or by its pointer, `#/printer`: then also in what it holds. */
  at(field: string): string | undefined {
    const isAt = ({ pointer }: FieldError) =>
      field.startsWith("#") ? `${pointer}/`.startsWith(`${field}/`) : pointer.split("/").includes(field);
    return this.fields.find(isAt)?.detail;
  }
}

/** A sentence for each error identifier that the service may answer with. */
export type ErrorWords = Readonly<Record<string, string>>;

export interface Api<Known extends Operations> {
  /** Calls an operation that the service publishes; one that it does not is a type error. */
  call<Name extends keyof Known & string>(
    operation: Name,
    ...call: CallArguments<Name, Known[Name]>
  ): Promise<Known[Name]["reply"]>;
}

const WORDS_FOR_STATUS: ReadonlyArray<[from: number, sentence: string]> = [
  [500, t.somethingWentWrongOnTheServer],
  [429, t.thatWasTooOften],
  [413, t.thatIsTooLarge],
  [412, t.somebodyChangedItMeanwhile],
  [404, t.thatIsNotThereAnyMore],
  [403, t.youMayNotDoThat],
  [401, t.youAreSignedOutSignIn],
  [0, t.theServerRefusedThat],
];

export interface ApiOptions {
  readonly words: ErrorWords;
  /** Sent with every call. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** What every path begins with. */
  readonly base?: string;
  /** Told of every refusal, also where nobody keeps what was asked in a cache. */
  readonly onRefusal?: (refusal: ApiError) => void;
}

/** Speaks JSON with the server that the page came from; every failure becomes an ApiError with a sentence. */
export function createApi<Known extends Operations>(options: ApiOptions): Api<Known> {
  const { words, headers = () => ({}), base = "" } = options;
  const send = async (operation: string, call: AnyCall) => {
    // What can be called off is a question, whatever its method is: nothing is done by it.
    if (operation.startsWith("GET ") || call.signal) return ask(operation, call);
    const answer = awaitAnswer(call.form ? MAX_UPLOAD_MS : MAX_ANSWER_MS);
    const before = timesLeft();
    const hasLeft = () => timesLeft() !== before;
    try {
      const reply = await exchange(operation, { ...call, signal: answer.signal });
      return hasLeft() ? NEVER : reply;
    } catch (error) {
      if (hasLeft()) return NEVER;
      if (!answer.signal.aborted && !isUnknownEnd(error)) throw error;
      // When the server is there again, the page asks for all that it shows: then one sees what was done.
      connection.lost();
      throw new ApiError({ status: 0, code: "not_answered", message: t.itIsNotKnownWhether });
    } finally {
      answer.end();
    }
  };
  const ask = async (operation: string, call: AnyCall) => {
    const answer = awaitAnswer(MAX_ANSWER_MS);
    const signals = call.signal ? [call.signal, answer.signal] : [answer.signal];
    try {
      return await exchange(operation, { ...call, signal: AbortSignal.any(signals) });
    } catch (error) {
      if (answer.signal.aborted && !call.signal?.aborted) return away(NO_ANSWER);
      throw error;
    } finally {
      answer.end();
    }
  };
  const exchange = async (operation: string, call: AnyCall) => {
    const { json, form, text, signal, ifMatch, ifNoneMatch } = call;
    const { method, url } = addressOf(operation, call);
    const body = form ?? text ?? (json === undefined ? undefined : JSON.stringify(json));
    const response = await fetch(base + url, {
      method,
      headers: {
        ...headers(),
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...(text === undefined ? {} : { "content-type": "text/plain" }),
        ...(ifMatch === undefined ? {} : { "if-match": ifMatch }),
        ...(ifNoneMatch === undefined ? {} : { "if-none-match": ifNoneMatch }),
      },
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
    }).catch((error: unknown) => away(NO_ANSWER, signal, error));
    // A page in the place of the answer is of a proxy, or of a network that wants people to sign in: nothing was done.
    if (response.ok && /^text\/html\b/.test(response.headers.get("content-type") ?? ""))
      return away(INTERCEPTED);
    if (response.status < 500) connection.answered();
    if (response.ok) return replyOf(response).catch((error: unknown) => away(NO_ANSWER, signal, error));
    const refusal = await refusalOf(response, words);
    if (isAway(refusal)) connection.lost();
    options.onRefusal?.(refusal);
    throw refusal;
  };
  return { call: (operation, call?) => send(operation, call ?? {}) as Promise<never> };
}

/** Whoever ordered it has left: how it ended is told to nobody, and not to the next person. */
const NEVER = new Promise<never>(() => {});

/** How far the request came is not known: browsers tell a server that was never reached and one that broke off alike. */
const NO_ANSWER = "unreachable";
/** Somebody else answered in the server's place. */
const INTERCEPTED = "intercepted";

/** The server did not answer, or not to the end; unless whoever asked has called it off. */
function away(code: typeof NO_ANSWER | typeof INTERCEPTED, signal?: AbortSignal, error?: unknown): never {
  if (signal?.aborted) throw error;
  connection.lost();
  throw new ApiError({ status: 0, code, message: t.theServerDidNotAnswerCheck });
}

/** Whether a write may have been done although it failed: its answer is lost, on the line or behind a proxy. */
const isUnknownEnd = (error: unknown): boolean =>
  error instanceof ApiError && [NO_ANSWER, "http_502", "http_504"].includes(error.code);

/**
 * A proxy answers for a service that is stopped, in words of its own, and a service without its database answers as well.
 * A service that is there says what else did not do its part (a printer, a directory).
 */
const isAway = ({ status, code }: ApiError): boolean =>
  [502, 503, 504].includes(status) && (code === `http_${status}` || code === "unavailable");

/** JSON as what it says, any other text as text, nothing as nothing. */
async function replyOf(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const isJson = /[/+]json\b/.test(response.headers.get("content-type") ?? "");
  return isJson ? response.json() : response.text();
}

/** Reads `{error}`, with a `message` or without, and RFC 9457 problem details alike; a body that is neither still gets a sentence. */
async function refusalOf(response: Response, words: ErrorWords): Promise<ApiError> {
  const json: unknown = await response.json().catch(() => undefined);
  const body = (typeof json === "object" && json !== null ? json : {}) as Record<string, unknown>;
  const text = (key: string) => (typeof body[key] === "string" ? (body[key] as string) : undefined);
  const code =
    text("error") ?? text("code") ?? text("type")?.split(/[/:#]/).at(-1) ?? `http_${response.status}`;
  const seconds = Number(response.headers.get("retry-after"));
  const retryAfterSeconds = seconds > 0 ? seconds : undefined;
  const sentence =
    words[code] ??
    text("detail") ??
    text("message") ??
    text("title") ??
    WORDS_FOR_STATUS.find(([from]) => response.status >= from)?.[1] ??
    t.theServerRefusedThat;
  const message = retryAfterSeconds ? t.tryAgainIn(sentence, wait(retryAfterSeconds)) : sentence;
  const fields = Array.isArray(body.errors) ? (body.errors as FieldError[]) : [];
  return new ApiError({
    status: response.status,
    code,
    message,
    retryAfterSeconds,
    fields,
    current: body.current,
  });
}

function wait(seconds: number): string {
  if (seconds < 90) return count(seconds, t.seconds);
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? count(minutes, t.minutes) : count(Math.ceil(minutes / 60), t.hours);
}

/** What went wrong, for a person; a fault of ours keeps its own words, which are better than none. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
