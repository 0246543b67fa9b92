const TIMEOUT_MS = 30_000;

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

const SENTENCES: Readonly<Record<string, string>> = {
  unauthorized: "The engine wants another token: give it with --token.",
  no_lease: "There is no lease on that address.",
  bad_address: "That is not an IPv4 address.",
  bad_mac: "That is not a hardware address like 02:00:00:00:00:50.",
  no_nonce: "That client did not say that it understands FORCERENEW with a nonce (RFC 6704).",
  no_way: "The engine has no interface towards that address.",
  invalid_request: "The engine does not understand one of these values.",
};

export class Client {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    if (!URL.canParse(url)) throw new ControlProblem(`"${url}" is not a URL.`);
    this.#url = url.replace(/\/$/, "");
    this.#token = token;
  }

  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    let response: Response;
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
    } catch {
      throw new ControlProblem(
        `The engine does not answer at ${this.#url}: is it running? (npm start -- lease)`,
        true,
      );
    }
    const text = await response.text();
    const value = text === "" ? undefined : parsed(text);
    if (response.ok) return value as T;
    const code = (value as { error?: string } | undefined)?.error ?? `status ${response.status}`;
    throw new ControlProblem(SENTENCES[code] ?? `The engine refused: ${code}.`, false, value);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ControlProblem("What answers there is not the engine's control API.", true);
  }
}
