import { CONTROL_HEADER, REFUSALS, type RefusalCode } from "@frontdesk/lease-control-api/schemas";
import { showable } from "./columns.ts";

const TIMEOUT_MS = 30_000;
const HEADER_TEXT = /^[\x21-\x7e]*$/;

/** The engine refused, or does not answer; the message is for the person at the keyboard. */
export class ControlProblem extends Error {
  readonly unreachable: boolean;
  readonly body: unknown;

  constructor(message: string, unreachable = false, body: unknown = undefined) {
    super(message);
    this.unreachable = unreachable;
    this.body = body;
  }
}

export class Client {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    if (!URL.canParse(url)) throw new ControlProblem(`"${url}" is not a URL.`);
    if (!HEADER_TEXT.test(token)) throw new ControlProblem("The token has characters that no token has.");
    this.#url = url.replace(/\/$/, "");
    this.#token = token;
  }

  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(this.#url + path, {
        method,
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: {
          ...(this.#token === "" ? {} : { authorization: `Bearer ${this.#token}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      text = await response.text();
    } catch {
      throw new ControlProblem(
        `The engine does not answer at ${this.#url}: is it running? (npm start -- lease)`,
        true,
      );
    }
    if (!response.headers.has(CONTROL_HEADER.name)) throw notTheEngine();
    const value = text === "" ? undefined : parsed(text);
    if (response.ok) return value as T;
    const code = String(
      (value as { error?: unknown } | null | undefined)?.error ?? `status ${response.status}`,
    );
    const sentence = Object.hasOwn(REFUSALS, code)
      ? REFUSALS[code as RefusalCode]
      : `The engine refused: ${showable(code)}.`;
    throw new ControlProblem(sentence, false, value);
  }
}

const notTheEngine = () =>
  new ControlProblem(
    "What answers there is not the engine's control API, or an engine of an earlier version: restart it.",
    true,
  );

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notTheEngine();
  }
}
