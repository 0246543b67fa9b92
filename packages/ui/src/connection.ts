/** A live line, as far as what is shown depends on it. */
export interface KnownLine {
  readonly opened: () => void;
  /** Nothing was heard on it since `heardAt`. */
  readonly lost: (heardAt?: number) => void;
  /** The server is there, and has no line left to give. */
  readonly crowded: () => void;
  /** Nothing that is shown depends on it any more. */
  readonly ended: () => void;
}

/**
 * Whether what is shown can be trusted: the server answered when it was last asked, and the live line is open. A line that
 * is lost is back when it says so itself: an answer to something else tells nothing about what was missed.
 */
export class Connection {
  #lostAt: number | undefined;
  #isUnanswered = false;
  readonly #brokenLines = new Set<KnownLine>();
  readonly #crowdedLines = new Set<KnownLine>();
  readonly #listeners = new Set<() => void>();

  /** The server did what it was asked, or said why not. */
  answered(): void {
    this.#judge(false);
  }

  lost(): void {
    this.#judge(true);
  }

  line(): KnownLine {
    const line: KnownLine = {
      opened: () => {
        this.#brokenLines.delete(line);
        this.#crowdedLines.delete(line);
        this.answered();
      },
      lost: (heardAt) => {
        this.#brokenLines.add(line);
        this.#judge(this.#isUnanswered, heardAt);
      },
      crowded: () => {
        if (this.#crowdedLines.has(line) || !this.#brokenLines.has(line)) return;
        this.#crowdedLines.add(line);
        this.#tell();
      },
      ended: () => {
        this.#brokenLines.delete(line);
        this.#crowdedLines.delete(line);
        this.#judge(this.#isUnanswered);
      },
    };
    return line;
  }

  /** As of when what is shown was right; undefined while it is. It stays the earliest moment until all is well again. */
  readonly lostAt = () => this.#lostAt;

  /** Whether the server did not answer when it was last asked. */
  readonly isUnanswered = () => this.#isUnanswered;

  /** Whether the server answers, and too many are on its live line at once for this page to be one of them. */
  readonly isCrowded = () => !this.#isUnanswered && this.#crowdedLines.size > 0;

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Until the server answers what it is asked, whether or not the live line is back. */
  untilAnswered(): Promise<void> {
    if (!this.#isUnanswered) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = this.subscribe(() => {
        if (this.#isUnanswered) return;
        stop();
        resolve();
      });
    });
  }

  #judge(isUnanswered: boolean, since = Date.now()): void {
    const isWell = !isUnanswered && this.#brokenLines.size === 0;
    const lostAt = isWell ? undefined : Math.min(this.#lostAt ?? since, since);
    const isNews = isUnanswered !== this.#isUnanswered || lostAt !== this.#lostAt;
    this.#isUnanswered = isUnanswered;
    this.#lostAt = lostAt;
    if (isNews) this.#tell();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

export const connection = new Connection();
