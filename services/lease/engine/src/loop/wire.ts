/** Where a packet came in and what the engine is there. */
export interface Ingress {
  readonly interfaceName: string;
  /** The engine's addresses on that interface. */
  readonly addresses: readonly number[];
  readonly sourceAddress: number;
  readonly sourcePort: number;
  /** Sent to an address of the engine's, not to everyone on the link. */
  readonly unicast: boolean;
  /** The lab listener answers to where the packet came from. */
  readonly lab: boolean;
}

export interface Datagram {
  readonly bytes: Uint8Array;
  readonly ingress: Ingress;
}

/** An exchange that waited for its address to be probed. */
export interface Waiting extends Datagram {
  /** The address, if someone answered for it. */
  readonly conflict: number | undefined;
}

export interface Destination {
  readonly address: number;
  readonly port: number;
  /** The client does not answer for its address yet: the frame goes straight to its hardware address. */
  readonly hardware: Uint8Array | undefined;
}

export interface Outgoing {
  readonly bytes: Uint8Array;
  /** The address of the engine's that it comes from. */
  readonly source: number;
  readonly destination: Destination;
  readonly ingress: Ingress;
}

/** Someone spoke for an address; by ARP, the hardware address is known. */
export interface ProbeAnswer {
  readonly address: number;
  readonly hardware: Uint8Array | undefined;
}

/** What the engine needs of the network. */
export interface Wire {
  send(batch: readonly Outgoing[]): void;
  /** Asks on the link or by echo whether someone answers for an address. */
  probe(address: number, ingress: Ingress): void;
  isOurs(address: number): boolean;
  /** The engine's own addresses. */
  ownAddresses(): Iterable<number>;
  /** Where a message of the engine's own goes out to an address. */
  towards(address: number): Ingress | undefined;
}
