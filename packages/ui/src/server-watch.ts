import type { Connection } from "./connection.ts";
import { gatherAfter } from "./gather.ts";

/** How often a server that is away is tried. */
export const RETRY_MS = 3_000;
/** A server that hangs would be asked on one connection after another, until the browser has none left. */
export const MAX_ANSWER_MS = 10_000;
/** How long a first page waits for the answers that decide what it is. */
export const MAX_WAIT_MS = 5_000;
/** Where some requests fail and others do not, everything is asked for again no more often than this. */
export const MIN_ASK_AGAIN_MS = 10_000;

/** Of the attempts that the server answers while its live line stays lost (it may have no line left to give). */
export const ATTEMPTS_PER_ASKING = 10;

export interface WatchParts {
  readonly connection: Connection;
  /** Asks again for all that is shown. */
  readonly askAgain: () => void;
  readonly isThere?: () => Promise<boolean>;
}

/**
 * Tries a server that is away, and asks again for all that is shown when it answers, whoever noticed that first: what has
 * failed meanwhile would stay failed. While the live line alone is lost, all that is shown is asked for now and then.
 */
export function watchServer({ connection, askAgain, isThere = isHealthy }: WatchParts): void {
  let timer: ReturnType<typeof setInterval> | undefined;
  let isTrying = false;
  let answers = 0;
  const attempt = async () => {
    if (isTrying) return;
    isTrying = true;
    const answered = await isThere();
    isTrying = false;
    // All may be well again meanwhile.
    if (timer === undefined) return;
    if (!answered) return connection.lost();
    connection.answered();
    if (timer !== undefined && ++answers % ATTEMPTS_PER_ASKING === 0) asking.soon();
  };

  let askedAt = Number.NEGATIVE_INFINITY;
  const asking = gatherAfter(
    () => {
      askedAt = performance.now();
      askAgain();
    },
    () => Math.max(0, askedAt + MIN_ASK_AGAIN_MS - performance.now()),
  );

  let wasUnanswered = false;
  const look = () => {
    if (connection.lostAt() === undefined) {
      clearInterval(timer);
      timer = undefined;
      answers = 0;
    } else timer ??= setInterval(() => void attempt(), RETRY_MS);
    if (wasUnanswered && !connection.isUnanswered()) asking.soon();
    wasUnanswered = connection.isUnanswered();
  };
  connection.subscribe(look);
  look();
}

/**
 * Waits for the first answers, and not for ever. A server that takes a question and does not answer it is away: it is
 * asked again when it is back.
 */
export async function firstAnswers(
  connection: Connection,
  answers: readonly Promise<unknown>[],
): Promise<void> {
  const late = setTimeout(() => connection.lost(), MAX_ANSWER_MS);
  const all = Promise.all(answers).finally(() => clearTimeout(late));
  await Promise.race([all, new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS))]);
}

/** A proxy answers for a service that is stopped, in words of its own; a service without its database says what is wrong. */
async function isHealthy(): Promise<boolean> {
  const signal = AbortSignal.timeout(MAX_ANSWER_MS);
  const reply = await fetch("/healthz", { cache: "no-store", signal })
    .then((response) => response.json())
    .catch(() => undefined);
  return reply?.status === "ok";
}
