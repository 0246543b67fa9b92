/** The engine as a process. */
export interface EngineProcessState {
  readonly state: "stopped" | "starting" | "running" | "stopping" | "waiting";
  readonly pid: number | null;
  /** When it became so, in milliseconds. */
  readonly since: number;
  /** How often it ended by itself and was started again. */
  readonly restarts: number;
  /** Somebody stopped it, and nobody has started it since. Keepers of earlier versions do not tell. */
  readonly isStoppedOnPurpose?: boolean;
  /** Why it did not start, or what it said last before it ended. */
  readonly problem: string | null;
}

/** Starts the engine, stops it, and starts it again when it ends by itself. It outlives the manager. */
export interface Keeper {
  state(): Promise<EngineProcessState>;
  /** Resolves when the engine serves, or when it is known why it does not. */
  start(): Promise<EngineProcessState>;
  /** It stays so until somebody starts it, also where the manager is killed and another one finds the keeper. */
  stop(): Promise<EngineProcessState>;
  restart(): Promise<EngineProcessState>;
}
