/** How the tabs of one browser share a stream: one of them leads, and tells the others what it hears. */
export interface Tabs {
  /** The tabs that use the same name hear each other here; none hears itself. */
  readonly channel: (
    name: string,
    onMessage: (message: unknown) => void,
  ) => { post(message: unknown): void; close(): void };
  /**
   * Calls `begin` when this tab leads, and what that answers with when it no longer does. `isSuccessor`: another tab, or
   * this one earlier, led before, and between the two nobody did. The answer resigns.
   */
  readonly lead: (name: string, begin: (isSuccessor: boolean) => () => void) => () => void;
}
