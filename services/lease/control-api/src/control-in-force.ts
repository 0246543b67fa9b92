/**
 * Where an engine that runs has its control API, and a token for it. It writes this to its folder when it starts: what
 * the configuration says may wait for a restart. The token ends with the engine: while none runs, another program may
 * have the address, and is told it.
 */
export interface ControlInForce {
  readonly url: string;
  /** null: none. */
  readonly token: string | null;
}

/** The file's name in the engine's folder. */
export const CONTROL_IN_FORCE = "control.json";

/** What the file says; undefined where it says nothing that could be used. */
export function controlInForce(text: string): ControlInForce | undefined {
  try {
    const { url, token } = JSON.parse(text) as Partial<Record<keyof ControlInForce, unknown>>;
    const isSound = typeof url === "string" && URL.canParse(url);
    return isSound && (token === null || typeof token === "string") ? { url, token } : undefined;
  } catch {
    return undefined;
  }
}
