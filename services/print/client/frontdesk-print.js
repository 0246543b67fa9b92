/** Print labels from a web page through the Frontdesk print bridge. No dependency, no build. */

const PROTOCOL = 1;
const DEFAULT_HOST = "127.0.0.1:31075";
const ORIGIN_DENIED = 4403;
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 10_000;
const PAIRING_RETRY_MS = 2_000;
/** A repetition that comes too soon, or fails, waits at least so long: many may have been cut off at once. */
const REPEAT_RETRY_MS = 1_000;
const REQUEST_LIMIT_MS = 30_000;
/** What browsers call a connection that ended without a word. */
const NOTHING_HEARD = 1006;
/** What a bridge takes unless it says otherwise in its hello. */
const FRAME_LIMIT = 8 * 1024 * 1024;

/** What the bridge refused, or what became of the connection (code "CONNECTION_LOST" or "TIMEOUT"). */
export class PrintError extends Error {
  constructor(code, message, retryable = false, details = undefined) {
    super(message);
    this.name = "PrintError";
    this.code = code;
    this.retryable = retryable;
    this.details = details;
  }
}

export class FrontdeskPrint {
  #appName;
  #urls;
  #store;
  #reconnect;
  #WebSocket;
  #socket;
  #dialing;
  #ready;
  #pending = new Map();
  #handlers = new Map();
  #lastId = 0;
  /** How many frames came in. */
  #heard = 0;
  #lastSeq;
  #claim;
  /** The token that the bridge was shown last. */
  #shown;
  #retryMs = FIRST_RETRY_MS;
  /** What ends each wait for a retry: the reconnection's, and those of prints that were cut off. */
  #waits = new Set();
  #frameLimit = FRAME_LIMIT;
  /** Whether the handshake is over; until then whoever opens the connection sees to its loss. */
  #isOpen = false;
  #accepting = true;
  #early = [];
  /** Counts the closings: what was begun before one must not go on after it. */
  #life = 0;

  constructor({
    appName = "",
    url,
    token,
    tokenStore,
    reconnect = true,
    WebSocket = globalThis.WebSocket,
  } = {}) {
    this.#appName = appName;
    this.#urls = url ? [url].flat() : bridgeUrls();
    this.#store = tokenStore ?? pageStore();
    if (token) this.#store.set(token);
    this.#reconnect = reconnect;
    this.#WebSocket = WebSocket;
  }

  /**
   * Resolves when the bridge answers and the page may print. A page that is not yet allowed gets a
   * "pairing" event with a code to show; it keeps trying until someone approves it or close() is called.
   */
  connect() {
    this.#ready ??= this.#open(this.#life);
    return this.#ready;
  }

  async listPrinters() {
    return (await this.#request("printers.list")).printers;
  }

  printerStatus(printer) {
    return this.#request("printers.status", { printer });
  }

  async listTemplates(printer) {
    return (await this.#request("templates.list", printer ? { printer } : {})).templates;
  }

  /** Safe to repeat: a job that was already accepted is answered with its own id. */
  printRaw(printer, data, { encoding = "utf8", copies = 1, idempotencyKey = newKey() } = {}) {
    const bytes = typeof data === "string" ? { data, encoding } : { data: base64(data), encoding: "base64" };
    return this.#persist("print.raw", { printer, ...bytes, copies, idempotencyKey });
  }

  printTemplate(printer, template, labels, { idempotencyKey = newKey() } = {}) {
    const list = labels.map((label) => (Array.isArray(label) ? { params: label.map(String) } : label));
    return this.#persist("print.template", { printer, template, labels: list, idempotencyKey });
  }

  getJob(jobId) {
    return this.#request("job.get", { jobId });
  }

  ping() {
    return this.#request("ping");
  }

  /**
   * Events: "job.update", "printer.status", "pairing", "crowded" (as many pages as may ask to be let in do; this one
   * asks again, and its earlier code is no longer good), "connected", "disconnected", "repeating" (whether the bridge
   * has a print is not known, for the error that it comes with; it is repeated with its key until that is known),
   * "incomplete" (the bridge no longer keeps all that was missed: ask for what matters), "refused" (the bridge does not
   * take the page back, with the error: it has to call connect() anew). Returns the way to stop.
   */
  on(event, handler) {
    const handlers = this.#handlers.get(event) ?? new Set();
    this.#handlers.set(event, handlers.add(handler));
    return () => handlers.delete(handler);
  }

  /** The number of the last event seen; give it to a later page as `lastSeq` to miss nothing. */
  get lastSeq() {
    return this.#lastSeq;
  }

  set lastSeq(seq) {
    this.#lastSeq = seq;
  }

  close() {
    this.#isOpen = false;
    this.#life++;
    for (const end of [...this.#waits]) end();
    this.#ready = undefined;
    this.#socket?.close(1000);
    this.#dialing?.close(1000);
    this.#socket = this.#dialing = undefined;
    this.#failPending(closedByPage());
  }

  async #open(life) {
    for (;;) {
      if (life !== this.#life) throw closedByPage();
      try {
        const hello = await this.#openOnce(life);
        this.#retryMs = FIRST_RETRY_MS;
        this.#isOpen = true;
        this.#emit("connected", hello);
        return hello;
      } catch (error) {
        if (life !== this.#life) throw error;
        this.#socket?.close();
        this.#dialing?.close();
        this.#socket = this.#dialing = undefined;
        this.#failPending(error);
        const pairing = error.details?.pairing;
        if (pairing) {
          const isNew = pairing.claim !== this.#claim;
          this.#claim = pairing.claim;
          if (isNew) this.#emit("pairing", { code: pairing.code, expiresAt: pairing.expiresAt });
        } else if (error.code === "ORIGIN_DENIED") this.#claim = undefined;
        const isCrowded = error.details?.crowded === true;
        if (isCrowded) this.#emit("crowded");
        // A page that can show a code is paired anew; one that cannot is told, and asks without the token next time.
        // Another tab may have got a new one meanwhile: that one stays.
        if (error.code === "AUTH_INVALID" && this.#store.get() === this.#shown) this.#store.set("");
        const again = error.code === "AUTH_INVALID" && this.#handlers.get("pairing")?.size > 0;
        const waiting = pairing || isCrowded || this.#claim || again;
        if (!waiting && (!error.retryable || !this.#reconnect)) {
          this.#ready = undefined;
          throw error;
        }
        const retryMs = again ? FIRST_RETRY_MS : waiting ? PAIRING_RETRY_MS : this.#nextRetry();
        await this.#pause(Math.max(retryMs, error.details?.retryAfterMs ?? 0));
      }
    }
  }

  async #openOnce(life) {
    const socket = await this.#firstThatAnswers();
    if (life !== this.#life) {
      socket.close(1000);
      throw closedByPage();
    }
    this.#socket = socket;
    // A page without a token asks to be paired, also where its origin was approved in another browser.
    const pairing = this.#claim ?? (this.#store.get() ? undefined : "");
    const hello = await this.#send("hello", {
      appName: this.#appName,
      ...(pairing === undefined ? {} : { pairing }),
    });
    this.#frameLimit = hello.limits?.frameBytes ?? FRAME_LIMIT;
    if (hello.token) {
      this.#store.set(hello.token);
      this.#claim = undefined;
    }
    if (hello.authRequired) {
      const token = this.#store.get();
      if (!token)
        throw new PrintError(
          "AUTH_REQUIRED",
          "This page has no token for the bridge.",
          !hello.pairing,
          hello.pairing ? { pairing: hello.pairing } : { crowded: true },
        );
      this.#shown = token;
      await this.#send("auth", { token });
    }
    const since = this.#lastSeq;
    // What is pushed is told only from here on, so that an answer which starts over comes before it.
    this.#accepting = false;
    this.#early = [];
    const { seq, complete } = await this.#send("subscribe", since === undefined ? {} : { sinceSeq: since });
    // A number that this journal has not reached is of another one: of this one nothing has been seen.
    if (since === undefined || since > seq) this.#lastSeq = since === undefined ? seq : 0;
    this.#accepting = true;
    for (const frame of this.#early.splice(0)) this.#receive(frame);
    if (complete === false) this.#emit("incomplete", { since });
    return hello;
  }

  async #firstThatAnswers() {
    let failure;
    for (const url of this.#urls) {
      try {
        return await this.#dial(url);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  #dial(url) {
    return new Promise((resolve, reject) => {
      const lost = new PrintError("CONNECTION_LOST", `The bridge at ${url} does not answer.`, true);
      let socket;
      try {
        socket = new this.#WebSocket(url);
      } catch {
        reject(lost);
        return;
      }
      this.#dialing = socket;
      socket.onopen = () => resolve(socket);
      socket.onerror = () => reject(lost);
      socket.onclose = ({ code }) => {
        reject(lost);
        this.#dropped(socket, code);
      };
      socket.onmessage = ({ data }) => {
        if (this.#socket === socket) this.#receive(JSON.parse(data));
      };
    });
  }

  /** The end of a connection that is dead may never be told: it is taken for lost now. */
  #giveUp(socket) {
    if (this.#isOpen) this.#dropped(socket, NOTHING_HEARD);
    socket.close();
  }

  #dropped(socket, code) {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    this.#failPending(new PrintError("CONNECTION_LOST", "The connection to the bridge broke.", true));
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#ready = undefined;
    const life = this.#life;
    const isWanted = this.#reconnect && code !== ORIGIN_DENIED;
    if (isWanted) {
      this.#ready = this.#pause(this.#nextRetry()).then(() => this.#open(life));
      this.#ready.catch((error) => {
        if (life === this.#life) this.#emit("refused", error);
      });
    }
    this.#emit("disconnected", { code });
  }

  #receive(frame) {
    this.#heard++;
    if (frame.event) {
      if (!this.#accepting) return void this.#early.push(frame);
      // What is replayed after a reconnection may have been seen already. Two names of one printer share a number.
      if (this.#lastSeq !== undefined && frame.seq < this.#lastSeq) return;
      this.#lastSeq = frame.seq;
      this.#emit(frame.event, frame.data, frame.seq);
      return;
    }
    const waiting =
      this.#pending.get(frame.id) ?? (frame.id === null ? this.#atFault(frame.error) : undefined);
    if (!waiting) return;
    this.#pending.delete(waiting.id);
    clearTimeout(waiting.timer);
    if (frame.error) {
      const { code, message, retryable, details } = frame.error;
      waiting.reject(new PrintError(code, message, retryable, details));
    } else waiting.resolve(frame.result);
  }

  /** A refusal without an id: of a frame that was too large, the largest; of one that was none, the oldest. */
  #atFault(error) {
    const pending = [...this.#pending.values()];
    if (error?.code !== "PAYLOAD_TOO_LARGE") return pending[0];
    return pending.sort((a, b) => b.size - a.size)[0];
  }

  async #request(method, params = {}) {
    await this.connect();
    const socket = this.#socket;
    try {
      return await this.#send(method, params);
    } catch (error) {
      // The token was taken back meanwhile: a new connection finds out, and is paired where it has to be.
      if (error.code === "AUTH_REQUIRED") socket?.close(1000);
      throw error;
    }
  }

  /** Repeats a request with a key until the bridge has answered it. */
  async #persist(method, params) {
    const life = this.#life;
    let isLost = false;
    for (;;) {
      try {
        return await this.#request(method, params);
      } catch (error) {
        const wasLost = isLost;
        isLost = error.code === "CONNECTION_LOST" || error.code === "TIMEOUT";
        // Neither tells whether the bridge has the job, nor does that a repetition came too soon to be looked at, or
        // that looking failed.
        const tooSoonMs = error.code === "RATE_LIMITED" ? error.details?.retryAfterMs : undefined;
        const isNotLookedAt = tooSoonMs !== undefined || error.code === "INTERNAL";
        isLost ||= wasLost && isNotLookedAt;
        if (!isLost || !this.#reconnect || life !== this.#life) throw error;
        this.#emit("repeating", error);
        await this.#pause(isNotLookedAt ? Math.max(tooSoonMs ?? 0, REPEAT_RETRY_MS) : FIRST_RETRY_MS);
        // A request would open the connection again that the page has closed meanwhile.
        if (life !== this.#life) throw closedByPage();
      }
    }
  }

  #send(method, params = {}) {
    const socket = this.#socket;
    if (socket?.readyState !== 1) {
      return Promise.reject(new PrintError("CONNECTION_LOST", "There is no connection to the bridge.", true));
    }
    const id = String(++this.#lastId);
    const frame = JSON.stringify({ v: PROTOCOL, id, method, params });
    // Refused here: the bridge would cut the connection, and the same would be sent again after it.
    const size = new TextEncoder().encode(frame).length;
    if (size > this.#frameLimit) {
      const message = `The request has ${size} bytes; ${this.#frameLimit} are allowed.`;
      return Promise.reject(new PrintError("PAYLOAD_TOO_LARGE", message, false, { limit: this.#frameLimit }));
    }
    return new Promise((resolve, reject) => {
      const heard = this.#heard;
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new PrintError("TIMEOUT", `The bridge did not answer ${method} in time.`, true));
        // A bridge that has lost its power says nothing at all, and the browser may take a quarter of an hour to notice.
        if (this.#heard === heard) this.#giveUp(socket);
      }, REQUEST_LIMIT_MS);
      this.#pending.set(id, { id, resolve, reject, timer, size });
      socket.send(frame);
    });
  }

  #failPending(error) {
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#pending.clear();
  }

  #emit(event, ...values) {
    for (const handler of [...(this.#handlers.get(event) ?? [])]) {
      try {
        handler(...values);
      } catch (error) {
        // The page's own mistake is told as one, and ends nothing here.
        if (globalThis.reportError) globalThis.reportError(error);
        else console.error(error);
      }
    }
  }

  #pause(milliseconds) {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waits.delete(end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      this.#waits.add(end);
    });
  }

  #nextRetry() {
    const now = this.#retryMs;
    this.#retryMs = Math.min(LAST_RETRY_MS, now * 2);
    return now * (0.75 + Math.random() / 2);
  }
}

/** The bridge that this file came from, or the one on the usual port of this machine. */
function bridgeUrls() {
  const { pathname, host } = new URL(import.meta.url);
  const from = pathname === "/client/frontdesk-print.js" ? host : DEFAULT_HOST;
  return [`wss://${from}/ws`, `ws://${from}/ws`];
}

function closedByPage() {
  return new PrintError("CONNECTION_LOST", "The connection was closed.", true);
}

/** Pages on plain http have random numbers, but no randomUUID. */
function newKey() {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function base64(data) {
  const bytes =
    data instanceof ArrayBuffer
      ? new Uint8Array(data)
      : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

/** Where a page keeps its token: the browser's own store for the origin, or memory where there is none. */
function pageStore() {
  const name = "frontdesk-print-token";
  let kept;
  try {
    const { localStorage } = globalThis;
    if (localStorage)
      return {
        get: () => localStorage.getItem(name) ?? undefined,
        set: (token) => (token ? localStorage.setItem(name, token) : localStorage.removeItem(name)),
      };
  } catch {
    // A page may be forbidden to keep anything.
  }
  return {
    get: () => kept,
    set: (token) => {
      kept = token;
    },
  };
}
