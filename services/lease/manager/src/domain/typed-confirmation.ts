import { DomainError } from "@frontdesk/kit/domain-error";
import { isTable, type TomlTable } from "@frontdesk/lease-config/toml-text";
import { CODES } from "./codes.ts";

/** What is done is hard to take back: whoever asks for it types these words. */
export class ConfirmationNeeded extends DomainError<"confirmation_needed"> {
  readonly words: string;

  constructor(words: string) {
    super("confirmation_needed", `${CODES.confirmation_needed} "${words}"`);
    this.words = words;
  }
}

/** Goes on only if these words were typed. */
export function assertTyped(words: string | undefined, typed: string | undefined): void {
  if (words !== undefined && words !== typed) throw new ConfirmationNeeded(words);
}

/** The words to be typed before a configuration takes the place of another; undefined where none are needed. */
export function wordsFor(before: TomlTable, after: TomlTable): string | undefined {
  if (subnetsOf(before) > 0 && subnetsOf(after) === 0) return "leave no subnet";
  if (interfacesOf(before) > 0 && interfacesOf(after) === 0) return "leave no interface";
  return undefined;
}

const lengthOf = (value: unknown) => (Array.isArray(value) ? value.length : 0);
const subnetsOf = ({ subnet }: TomlTable) => lengthOf(subnet);
const interfacesOf = ({ server }: TomlTable) => (isTable(server) ? lengthOf(server.interfaces) : 0);
