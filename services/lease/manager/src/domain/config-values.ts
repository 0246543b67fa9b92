import { DomainError } from "@frontdesk/kit/domain-error";
import { ConfigError, parseToml, plainValue } from "@frontdesk/lease-config/toml-document";
import type { TomlTable } from "@frontdesk/lease-config/toml-text";
import type { Problems } from "@frontdesk/lease-control-api/schemas";
import type { problemPointers } from "./problem-pointers.ts";

/** The text has mistakes; nothing was changed. */
export class WrongConfig extends DomainError<"bad_config"> {
  readonly problems: Problems["problems"];
  /** The same by the values that were sent, where the caller has sent values. */
  readonly errors: ReturnType<typeof problemPointers> | undefined;

  constructor(problems: Problems["problems"], errors?: ReturnType<typeof problemPointers>) {
    super("bad_config", "The configuration has mistakes.");
    this.problems = problems;
    this.errors = errors;
  }
}

type Reading =
  | { readonly config: TomlTable; readonly problems?: undefined }
  | { readonly config?: undefined; readonly problems: Problems["problems"] };

/** The values of a text, or what keeps it from being read as such. */
export function readingOf(text: string): Reading {
  try {
    return { config: valuesOf(text) };
  } catch (error) {
    if (error instanceof WrongConfig) return { problems: error.problems };
    throw error;
  }
}

/** The text that was parsed last, with its values: ten thousand reservations take half a second, and every page asks for them. */
let last: { readonly text: string; readonly values: TomlTable } | undefined;

/** A file that was edited by hand may have mistakes. */
export function valuesOf(text: string): TomlTable {
  if (last?.text !== text) last = { text, values: frozen(parsed(text)) };
  return last.values;
}

function parsed(text: string): TomlTable {
  try {
    return plainValue(parseToml(text)) as TomlTable;
  } catch (error) {
    if (error instanceof ConfigError) throw new WrongConfig([...error.problems]);
    throw error;
  }
}

/** Whoever changed the values would change them for all who ask after. */
function frozen<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === "object" && part !== null) frozen(part);
  return Object.freeze(value);
}
