/** A lease in another server's file. */
export interface FileLease {
  /** An address; of DHCPv6 also a delegated prefix with its length. */
  readonly ip: string;
  /** Octets in hex, with colons; empty where the file names none. */
  readonly mac: string;
  /** Of DHCPv6. */
  readonly association?: { readonly duid: string; readonly iaid: number };
  readonly clientId: string | undefined;
  readonly hostname: string | undefined;
  /** Seconds since 1970; undefined: never. */
  readonly expires: number | undefined;
  /** Whether a client has it: not released, declined or taken back. */
  readonly isActive: boolean;
}

/** The last line about an address holds: these files are written to at their end. */
export type LeaseFile = Map<string, FileLease>;
