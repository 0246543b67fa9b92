import type { Config } from "@frontdesk/lease-config/config";
import type { HaConfig, HaNodes } from "@frontdesk/lease-config/ha-config";
import type { WorkerStart } from "./calls.ts";
import type { PeerControl, Refused } from "./control/parts.ts";
import { newLinkMemory } from "./ha/link-memory.ts";
import { shown } from "./ha/link-sockets.ts";
import type { LinkLog, LinkThread } from "./ha/link-thread.ts";
import type { LinkStart } from "./ha/link-worker.ts";
import { INVITATION_MS, type Invitation, invite, join, PairingProblem } from "./ha/pairing.ts";
import { nodeName, type Pairing, type PairingFiles } from "./ha/pairing-files.ts";
import { codeText, parseCode } from "./ha/pairing-proof.ts";
import type { Standing } from "./loop/pair-standing.ts";

export const NOT_PAIRED = "this node is not paired: run leasectl ha pair.";
/** Of a node that runs so. */
export const SERVES_NOBODY =
  "this node is not paired and serves nobody: run leasectl ha pair on the primary, and the line that it prints on the secondary";

/**
 * What such a node's peer told clients is to be waited for, and what a machine of another pair knows is not. A server that
 * serves already, and never had a peer, would drop its leases for those of a node that takes over.
 */
const UNCLEAR =
  "This node has not met the other one of its pair since it was started, which may have served clients meanwhile. If the machine that it is to be paired with serves clients already, or this node comes from another pair, stop it and remove ha/pairing.json in its folder: it begins with nothing. If this node is what is left of its pair, and the other machine is new, run leasectl ha partner-down on it first.";

export type PeerLink = Pick<LinkThread, "problem" | "stop">;

export interface PeerParts {
  readonly files: PairingFiles;
  readonly log: LinkLog;
  readonly now: () => number;
  readonly schedule: (milliseconds: number, act: () => void) => () => void;
  /** The link's thread. */
  readonly startThread: (start: LinkStart, log: LinkLog) => PeerLink;
  /** Hands the pair to a packet thread that was started without it. */
  readonly begin: (pair: NonNullable<WorkerStart["pair"]>) => Promise<unknown>;
  /** Forgets what is known of an earlier pair, where that is over: then it begins anew. */
  readonly leave: (pair: WorkerStart["pair"]) => Promise<Standing>;
  readonly standing: () => Promise<Standing>;
}

/** What the main thread has to do with the other node of the pair: the link's thread, and pairing. */
export class Peer implements PeerControl {
  readonly #parts: PeerParts;
  readonly #isOn: boolean;
  #pair: WorkerStart["pair"];
  #ha: { readonly config: HaConfig; readonly wake: number } | undefined;
  #link: PeerLink | undefined;
  #invitation: Invitation | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(config: Config, parts: PeerParts) {
    this.#parts = parts;
    this.#isOn = config.ha !== undefined;
    this.#pair = this.#isOn ? this.#keptPair() : undefined;
  }

  /** What the packet thread is given; undefined where there is no pair, or not yet. */
  get pair(): WorkerStart["pair"] {
    return this.#pair;
  }

  /** This node is to be one of a pair, and is not paired: it serves nobody. */
  get isUnpaired(): boolean {
    return this.#isOn && !this.#pair;
  }

  get isPaired(): boolean {
    return this.#parts.files.pairing() !== undefined;
  }

  /** Why there is no connection to the peer; undefined while there is one, or nothing is known. */
  get linkProblem(): string | undefined {
    return this.#link?.problem;
  }

  /** When the packet thread serves. */
  startLink(config: HaConfig, wake: number): void {
    this.#ha = { config, wake };
    const { files, log } = this.#parts;
    const pairing = files.pairing();
    const key = files.keptKey();
    if (!pairing || !key || !this.#pair) return;
    const { role, memory } = this.#pair;
    const credentials = { ...key, peerFingerprint: pairing.peerFingerprint };
    this.#link = this.#parts.startThread({ role, addresses: config, credentials, memory, wake }, log);
  }

  async stop(): Promise<void> {
    this.#invitation?.close();
    await this.#stopLink();
  }

  /** On the primary: what the operator runs on the secondary. An invitation replaces the one before. */
  invite(nodes: HaNodes): Promise<{ address: string; code: string; expiresAt: number } | Refused> {
    return this.#inTurn(() => orRefused(() => this.#invite(nodes)));
  }

  /** On the secondary. */
  join(
    nodes: HaNodes,
    address: string,
    code: string,
  ): Promise<{ fingerprint: string; isOn: boolean } | Refused> {
    return this.#inTurn(() => orRefused(() => this.#join(nodes, address, code)));
  }

  /** One after another: each stops the link and starts it again. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #invite(nodes: HaNodes) {
    const { files, log, now, schedule } = this.#parts;
    this.#refuseRole("secondary");
    await this.#refuseUnclear();
    const own = await files.nodeKey(now());
    const before = this.#invitation;
    this.#invitation = undefined;
    before?.close();
    // It listens where the invitation has to.
    await this.#stopLink();
    let invitation: Invitation;
    try {
      // One of a pair goes on with what it knows until the other node is there.
      if (!this.#pair) await this.#beginAnew();
      const prepare = async () => {
        if (this.#pair && this.#invitation === invitation) await this.#beginAnew();
      };
      invitation = await invite({
        own,
        nodes,
        prepare: () => this.#inTurn(prepare),
        keep: (peerFingerprint) => files.keep({ role: "primary", peerFingerprint }),
        onNotKept: (error) => log.error({ err: error }, "the pairing could not be written; try again"),
        schedule,
      });
    } catch (error) {
      await this.#startAgain();
      throw error;
    }
    this.#invitation = invitation;
    void invitation.accepted.then((fingerprint) => {
      if (fingerprint) log.info({ fingerprint }, "paired: this node is the primary");
      if (this.#invitation !== invitation) return;
      this.#invitation = undefined;
      this.#inTurn(() => this.#startAgain()).catch((error) =>
        log.error({ err: error }, "the pair could not begin; restart the engine"),
      );
    });
    return {
      address: shown(nodes.primary),
      code: codeText(invitation.code),
      expiresAt: now() + INVITATION_MS,
    };
  }

  async #join(nodes: HaNodes, address: string, codeGiven: string) {
    const { files, log, now } = this.#parts;
    this.#refuseRole("primary");
    const code = parseCode(codeGiven);
    if (!code)
      throw new PairingProblem("That is not a code: it has eight groups of four digits and letters.");
    if (address !== shown(nodes.primary)) {
      throw new PairingProblem(
        `[ha] primary of this node is ${shown(nodes.primary)}, not ${address}: give both nodes the same [ha] settings.`,
      );
    }
    await this.#refuseUnclear();
    const fingerprint = await join({ own: await files.nodeKey(now()), nodes, code });
    await this.#stopLink();
    try {
      await this.#beginAnew();
      files.keep({ role: "secondary", peerFingerprint: fingerprint });
      log.info({ fingerprint }, "paired: this node is the secondary");
    } finally {
      await this.#startAgain();
    }
    return { fingerprint, isOn: this.#isOn };
  }

  /**
   * Before the other node's fingerprint is kept: with what a spare machine knows of an earlier pair it would take a server
   * that never had a peer for one that lost its memory, and have it drop its leases.
   */
  async #beginAnew(): Promise<void> {
    const pair = this.#pair && { ...this.#pair, memory: newLinkMemory() };
    const standing = await this.#parts.leave(pair);
    if (standing === "unclear") throw new PairingProblem(UNCLEAR);
    if (standing === "over" && pair) this.#pair = pair;
  }

  async #refuseUnclear(): Promise<void> {
    if ((await this.#parts.standing()) === "unclear") throw new PairingProblem(UNCLEAR);
  }

  /** Another role would need another history: a node keeps its own until somebody removes it. */
  #refuseRole(role: Pairing["role"]): void {
    // The file may have been removed while this node runs by it.
    if ((this.#pair ?? this.#parts.files.pairing())?.role !== role) return;
    const other = role === "primary" ? "secondary" : "primary";
    throw new PairingProblem(
      `This node is the ${role} of a pair: to make it a ${other}, stop it and remove ha/pairing.json in its folder.`,
    );
  }

  #keptPair(): WorkerStart["pair"] {
    const { files } = this.#parts;
    const pairing = files.pairing();
    const key = files.keptKey();
    return pairing && key ? { node: nodeName(key), role: pairing.role, memory: newLinkMemory() } : undefined;
  }

  /** A node that was not paired before serves as one of the pair from now on. */
  async #startAgain(): Promise<void> {
    // An invitation listens where the link would.
    if (!this.#ha || this.#invitation) return;
    const pair = this.#pair ?? this.#keptPair();
    if (pair && !this.#pair) await this.#parts.begin(pair);
    this.#pair = pair;
    this.startLink(this.#ha.config, this.#ha.wake);
  }

  async #stopLink(): Promise<void> {
    const link = this.#link;
    this.#link = undefined;
    await link?.stop();
  }
}

/** What stands against it is told to whoever asked. */
async function orRefused<T>(act: () => Promise<T>): Promise<T | Refused> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof PairingProblem) return { refused: error.message };
    throw error;
  }
}
