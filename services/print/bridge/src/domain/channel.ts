/** A line to a device on which bytes go both ways. */
export interface Channel {
  /** Resolves when the line has taken the bytes; rejects when it is broken. */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when the device itself has every byte, on lines that can tell; rejects when it is broken. */
  taken?(): Promise<void>;
  /** Says that nothing more comes, and resolves when the device has hung up; rejects when it broke. */
  end(): Promise<void>;
  destroy(): void;
  readonly broken: boolean;
  onData(listen: (bytes: Uint8Array) => void): void;
  onEnd(listen: () => void): void;
}

/** Opens a line; throws PRINTER_OFFLINE or TRANSPORT_TIMEOUT when there is none to be had. */
export type OpenChannel = () => Promise<Channel>;
