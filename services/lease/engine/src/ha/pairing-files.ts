import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "@frontdesk/kit/kept-file";
import { StartProblem } from "@frontdesk/kit/problem";
import { regularFileText } from "@frontdesk/kit/regular-file";
import { fingerprintOf, type NodeKey } from "./link-sockets.ts";
import type { Role } from "./ownership.ts";

/** Who this node is of the pair, and how it knows the other one. */
export interface Pairing {
  readonly role: Role;
  /** SHA-256 of the peer's certificate. */
  readonly peerFingerprint: string;
}

const ROLES: ReadonlySet<unknown> = new Set<Role>(["primary", "secondary"]);
const FINGERPRINT = /^([\dA-F]{2}:){31}[\dA-F]{2}$/;

/** Inside the engine's folder. */
export const PAIRING_FOLDER = "ha";

/** What a node is called: its certificate's fingerprint. */
export const nodeName = ({ cert }: NodeKey): string => fingerprintOf(cert);

/** What a node keeps of the pair in its folder. The key never leaves it. */
export class PairingFiles {
  readonly #folder: string;

  constructor(engineFolder: string) {
    this.#folder = join(engineFolder, PAIRING_FOLDER);
  }

  /** This node's key and certificate; made on first use. */
  async nodeKey(now: number): Promise<NodeKey> {
    const kept = this.keptKey();
    if (kept) return kept;
    const { makePinned } = await import("@frontdesk/kit/certificates");
    const made = await makePinned("Frontdesk lease engine", now);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeWhole(this.#path("node.key"), made.key, 0o600);
    writeWhole(this.#path("node.crt"), made.cert, 0o644);
    return made;
  }

  keptKey(): NodeKey | undefined {
    const key = regularFileText(this.#path("node.key"));
    const cert = regularFileText(this.#path("node.crt"));
    return key && cert ? { key, cert } : undefined;
  }

  pairing(): Pairing | undefined {
    const text = regularFileText(this.#path("pairing.json"));
    if (text === undefined) return undefined;
    const kept = parsed(text);
    if (!kept) {
      throw new StartProblem(
        `${this.#path("pairing.json")} cannot be read: remove it and run leasectl ha pair again.`,
      );
    }
    return kept;
  }

  keep(pairing: Pairing): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeWhole(this.#path("pairing.json"), `${JSON.stringify(pairing, null, 2)}\n`, 0o600);
  }

  forget(): void {
    rmSync(this.#path("pairing.json"), { force: true });
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}

function parsed(text: string): Pairing | undefined {
  try {
    const { role, peerFingerprint } = JSON.parse(text) as Partial<Pairing>;
    if (!ROLES.has(role) || !FINGERPRINT.test(peerFingerprint ?? "")) return undefined;
    return { role: role as Role, peerFingerprint: peerFingerprint as string };
  } catch {
    return undefined;
  }
}
