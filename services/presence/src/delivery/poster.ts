import { type Agent, request } from "undici";
import { RefusedAddress } from "./guarded-agent.ts";

/** What became of one attempt. */
export interface Outcome {
  readonly ok: boolean;
  readonly status: number | null;
  readonly error: string | null;
  /** The beginning of what the receiver answered. */
  readonly response: string | null;
  readonly retryAfter: string | undefined;
}

export interface Poster {
  post(url: string, headers: Record<string, string>, body: string): Promise<Outcome>;
  /** Breaks off what is under way, for when the service has to go. */
  cut(): void;
}

/** How much of an answer is kept, and how long we listen to it: only its status matters. */
const KEPT_BYTES = 2_048;
const BODY_LIMIT_MS = 1_000;
/** Interim answers (103 and the like). A receiver that sends nothing else would keep this process busy with them. */
const MAX_INTERIM = 16;

/** Posts once. Success is any 2xx within the limit; redirects are answers like others. */
export function createPoster(options: { agent: Agent; limitMs: number }): Poster {
  const underWay = new Set<AbortController>();
  return {
    cut: () => {
      for (const attempt of underWay) attempt.abort();
    },
    post: async (url, headers, body) => {
      const limit = new AbortController();
      underWay.add(limit);
      let interim = 0;
      const timer = setTimeout(() => limit.abort(), options.limitMs);
      try {
        const reply = await request(url, {
          method: "POST",
          headers,
          body,
          dispatcher: options.agent,
          signal: limit.signal,
          onInfo: () => {
            if (++interim > MAX_INTERIM) limit.abort();
          },
        });
        const response = await beginning(reply.body, Math.min(BODY_LIMIT_MS, options.limitMs));
        const { statusCode } = reply;
        const ok = statusCode >= 200 && statusCode < 300;
        const after = reply.headers["retry-after"];
        return {
          ok,
          status: statusCode,
          error: ok ? null : `answered ${statusCode}`,
          response,
          retryAfter: Array.isArray(after) ? after[0] : after,
        };
      } catch (error) {
        const reason =
          interim > MAX_INTERIM
            ? `more than ${MAX_INTERIM} interim answers`
            : limit.signal.aborted
              ? `no answer within ${options.limitMs / 1000} s`
              : describe(error);
        return { ok: false, status: null, error: reason, response: null, retryAfter: undefined };
      } finally {
        clearTimeout(timer);
        underWay.delete(limit);
      }
    },
  };
}

type Body = Awaited<ReturnType<typeof request>>["body"];

/** Reads the beginning of an answer. One that does not end, or drips, or breaks off, is cut. */
async function beginning(body: Body, limitMs: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => body.destroy(), limitMs);
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= KEPT_BYTES) break;
    }
  } catch {
    // The status has come; what follows it changes nothing.
  } finally {
    clearTimeout(timer);
  }
  const text = Buffer.concat(chunks).subarray(0, KEPT_BYTES).toString();
  return text.replaceAll("\0", "\ufffd");
}

function describe(error: unknown): string {
  if (error instanceof RefusedAddress) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  return (code ? `${code}: ${message}` : message).slice(0, 500);
}
