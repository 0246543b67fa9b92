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
  readonly family?: 4;
  readonly bytes: Uint8Array;
  readonly ingress: Ingress;
}

/** The same of DHCPv6. */
export interface Ingress6 {
  readonly interfaceName: string;
  /** The engine's addresses on that interface, without those of the link itself. */
  readonly addresses: readonly bigint[];
  readonly sourceAddress: bigint;
  readonly sourcePort: number;
  /** Sent to an address of the engine's, not to all servers. */
  readonly unicast: boolean;
  readonly lab: boolean;
}

export interface Datagram6 {
  readonly family: 6;
  readonly bytes: Uint8Array;
  readonly ingress: Ingress6;
}

export type AnyDatagram = Datagram | Datagram6;

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
  readonly family?: 4;
  readonly bytes: Uint8Array;
  /** The address of the engine's that it comes from. */
  readonly source: number;
  readonly destination: Destination;
  readonly ingress: Ingress;
  /** It tells a client how long it has something; clients may count that from when it comes. */
  readonly givesTime?: boolean;
}

export interface Outgoing6 {
  readonly family: 6;
  readonly bytes: Uint8Array;
  readonly destination: { readonly address: bigint; readonly port: number };
  readonly ingress: Ingress6;
  readonly givesTime?: boolean;
}

export type AnyOutgoing = Outgoing | Outgoing6;

/** Someone spoke for an address; by ARP, the hardware address is known. */
export interface ProbeAnswer {
  readonly address: number;
  readonly hardware: Uint8Array | undefined;
}

/** What the engine needs of the network. */
export interface Wire {
  send(batch: readonly AnyOutgoing[]): void;
  /** Asks on the link or by echo whether someone answers for an address. */
  probe(address: number, ingress: Ingress): void;
  isOurs(address: number): boolean;
  /** The engine's own addresses. */
  ownAddresses(): Iterable<number>;
  /** Where a message of the engine's own goes out to an address: through the named interface, where it is served. */
  towards(address: number, interfaceName?: string): Ingress | undefined;
  /** The engine's own addresses of IPv6. */
  ownAddresses6?(): Iterable<bigint>;
  /** Where a message of DHCPv6 goes out that the engine sends of its own. */
  through?(interfaceName: string): Ingress6 | undefined;
}
