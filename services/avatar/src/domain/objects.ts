import type { DomainError } from "@frontdesk/kit/domain-error";
import { refuse } from "./errors.ts";

/** Bytes by content address. Writing the same bytes twice is writing them once. */
export interface Objects {
  get(address: string): Promise<Uint8Array | undefined>;
  /** Resolves when the bytes would survive a power cut. */
  put(address: string, bytes: Uint8Array, type: string): Promise<void>;
  /** Removing what is not there is no mistake. */
  delete(address: string): Promise<void>;
  /** Removes what writes that died before a time have left behind. */
  removeLeftovers(before: number): Promise<void>;
  /** Rejects when the store does not answer. */
  ping(): Promise<void>;
}

/** A SHA-256 in hexadecimal; nothing else ever becomes a path or a key. */
export const CONTENT_ADDRESS = /^[0-9a-f]{64}$/;

/** When it is worth trying again. */
const RETRY_AFTER_SECONDS = 5;

/** The store cannot do what it is asked for at the moment: its operator puts that right, and is told why in the log. */
export const storeAway = (cause: unknown): DomainError =>
  Object.assign(refuse("unavailable", RETRY_AFTER_SECONDS), { cause });
