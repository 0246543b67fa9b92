/** Whether the server answered when it was last asked, whoever asked: a query, a write, or the live line. */
class Connection {
  #lostAt: number | undefined;
  readonly #listeners = new Set<() => void>();

  answered(): void {
    if (this.#lostAt === undefined) return;
    this.#lostAt = undefined;
    this.#tell();
  }

  lost(): void {
    if (this.#lostAt !== undefined) return;
    this.#lostAt = Date.now();
    this.#tell();
  }

  readonly lostAt = () => this.#lostAt;

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  untilAnswered(): Promise<void> {
    if (this.#lostAt === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = this.subscribe(() => {
        if (this.#lostAt !== undefined) return;
        stop();
        resolve();
      });
    });
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

export const connection = new Connection();
