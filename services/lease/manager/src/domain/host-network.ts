/** What sets up the network of a machine. */
export const NETWORK_TOOLS = ["systemd-networkd", "NetworkManager", "ifupdown"] as const;
export type NetworkTool = (typeof NETWORK_TOOLS)[number];

export interface HostInterface {
  readonly name: string;
  readonly mac: string | null;
  readonly up: boolean;
  /** With the length of their network. */
  readonly addresses: string[];
  readonly gateway: string | null;
  /** null: none that is known here. */
  readonly tool: NetworkTool | null;
}

/** A static address for an interface. */
export interface NetworkChange {
  readonly interface: string;
  /** IPv4, with the length of its network: `192.0.2.10/24`. */
  readonly address: string;
  readonly gateway: string | null;
  readonly dns: readonly string[];
}

export interface NetworkTrial {
  readonly change: NetworkChange;
  /** Taken back then unless it is confirmed; milliseconds. */
  readonly deadline: number;
  /** Until then, when this was told: whoever reads it may have another clock. */
  readonly secondsLeft: number;
  /** Why it could not be taken back yet. */
  readonly problem: string | null;
}

/** What a change writes and runs. */
export interface NetworkPlan {
  readonly tool: NetworkTool;
  readonly files: ReadonlyArray<{
    readonly path: string;
    readonly before: string | null;
    readonly after: string;
  }>;
  readonly commands: ReadonlyArray<readonly string[]>;
}

export interface NetworkState {
  readonly interfaces: HostInterface[];
  readonly dns: string[];
  /** Whether it may be changed here: only root can. */
  readonly changeable: boolean;
  readonly trial: NetworkTrial | null;
}

/** The network of the machine, changed by the machine's own tool; what is not confirmed in time is taken back. */
export interface HostNetwork {
  state(): Promise<NetworkState>;
  preview(change: NetworkChange): Promise<NetworkPlan>;
  tryOut(change: NetworkChange, seconds: number): Promise<NetworkState>;
  /** Both of the trial with this deadline, by which a trial is known; undefined: of whichever there is. */
  confirm(deadline?: number): Promise<NetworkState>;
  takeBack(deadline?: number): Promise<NetworkState>;
}
