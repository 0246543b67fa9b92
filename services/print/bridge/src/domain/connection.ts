/** How a connection to a device came to its end after it was told that nothing more comes. */
export type Ending =
  /** The device hung up in order: it took everything. */
  | "closed"
  /** The device has acknowledged every byte and keeps the connection open. */
  | "acknowledged";

/** A connection to a device on which bytes go both ways. */
export interface Connection {
  /** Resolves when the connection has taken the bytes; rejects when it is broken. */
  write(bytes: Uint8Array): Promise<void>;
  /**
   * Says that nothing more comes, and waits for the device to hang up, or to have acknowledged every byte
   * where it does not hang up in time. Rejects when the connection broke, or when it cannot be told.
   */
  end(): Promise<Ending>;
  /** Whether the device has taken every byte that was written; undefined where that cannot be told. */
  hasTakenAll(): Promise<boolean | undefined>;
  /** Changes whenever more of what was written has gone on its way, as far as that can be told. */
  progress(): Promise<string>;
  destroy(): void;
  readonly broken: boolean;
  onData(listen: (bytes: Uint8Array) => void): void;
  onEnd(listen: () => void): void;
}

/** Opens a connection; throws PRINTER_OFFLINE or TRANSPORT_TIMEOUT when there is none to be had. */
export type Connect = () => Promise<Connection>;
