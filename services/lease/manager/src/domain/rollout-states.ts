/**
 * How far a client is. `told`: FORCERENEW was sent. `waiting`: it cannot be told and renews by itself at T1.
 * `converged`: it has renewed since. `unreachable`: it cannot be told, and its lease does not end. `gone`: its lease has
 * ended.
 */
export const CLIENT_STATES = ["queued", "told", "waiting", "converged", "unreachable", "gone"] as const;
export type ClientState = (typeof CLIENT_STATES)[number];

/** `watching`: all are told, and not all have renewed. */
export const ROLLOUT_STATES = ["running", "watching", "done", "stopped"] as const;
export type RolloutState = (typeof ROLLOUT_STATES)[number];
