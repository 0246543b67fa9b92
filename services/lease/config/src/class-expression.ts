import { parseHex, parseIpv4, textBytes, u32Bytes } from "@frontdesk/lease-options/address";
import { CODE, OPTION_CODES } from "@frontdesk/lease-options/option-table";
import { OPTION6_CODES } from "@frontdesk/lease-options/option6-table";

/** What an expression can look at. */
export interface Subject {
  option(code: number): Uint8Array | undefined;
  /** An option of DHCPv6. */
  option6(code: number): Uint8Array | undefined;
  field(name: FieldName): Uint8Array | undefined;
}

export const FIELDS = {
  mac: "the client's hardware address; in DHCPv6, what a relay says of it (option 79)",
  duid: "the client's DUID in DHCPv6",
  vendor_class: "option 60; in DHCPv6, the first text of option 16",
  user_class: "option 77; in DHCPv6, the first text of option 15",
  host_name: "option 12",
  circuit_id: "the relay's circuit id (option 82, sub-option 1)",
  interface_id: "the relay's Interface-Id in DHCPv6 (option 18)",
  remote_id: "the relay's remote id (option 82, sub-option 2; in DHCPv6, option 37)",
  giaddr: "the relay's address",
  interface: "the name of the interface the packet came in on",
} as const;
export type FieldName = keyof typeof FIELDS;

export interface Matches {
  (subject: Subject): boolean;
  /** Whether it looks at what a relay says of the client, or at the way its packets take. */
  readonly asksRelay: boolean;
}
type Test = (subject: Subject) => boolean;
/** What a renewal past the relay does not bring along. */
const RELAY_FIELDS: ReadonlySet<string> = new Set(["circuit_id", "remote_id", "giaddr", "interface"]);

/** Parentheses within each other. */
const MAX_DEPTH = 64;

/** The expression cannot be read; `at` counts characters from its start. */
export class ExpressionError extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

interface Token {
  readonly kind: "word" | "number" | "text" | "sign" | "end";
  readonly text: string;
  readonly at: number;
}

type Operand = (subject: Subject) => Uint8Array | undefined;
type Literal = (like: "mac" | "giaddr" | "other") => Uint8Array;

const TOKEN = /\s*(?:(0x[0-9a-f]*|\d+)|([a-z_]\w*)|"([^"]*)"|'([^']*)'|(==|!=|[()[\]]))/iy;

function tokens(source: string): Token[] {
  const found: Token[] = [];
  TOKEN.lastIndex = 0;
  const end = source.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const before = TOKEN.lastIndex;
    const match = TOKEN.exec(source);
    if (!match) {
      const at = before + (/^\s*/.exec(source.slice(before))?.[0].length ?? 0);
      throw new ExpressionError(`"${source[at]}" cannot stand here`, at);
    }
    const [whole, number, word, double, single, sign] = match;
    const text = number ?? word ?? double ?? single ?? sign ?? "";
    const kind =
      number !== undefined ? "number" : word !== undefined ? "word" : sign !== undefined ? "sign" : "text";
    found.push({ kind, text, at: before + whole.length - whole.trimStart().length });
  }
  found.push({ kind: "end", text: "the end", at: source.length });
  return found;
}

/**
 * Compiles `option[93] == 0x0007 and not (mac starts_with "52:54:00")`. Comparison is of octets:
 * `==`, `!=`, `starts_with`, `contains`; `exists option[60]` asks whether it was sent at all.
 */
export function compileExpression(source: string): Matches {
  const list = tokens(source);
  let next = 0;
  let asksRelay = false;
  let depth = 0;
  const peek = () => list[next] as Token;
  const take = () => list[next++] as Token;
  const is = (text: string) => peek().kind !== "text" && peek().text === text;
  const fail = (expected: string): never => {
    throw new ExpressionError(`${expected} was expected, not ${peek().text}`, peek().at);
  };
  const expect = (text: string) => (is(text) ? take() : fail(`"${text}"`));

  function either(): Test {
    const any = joinedBy("or", both);
    return any.length === 1 ? (any[0] as Test) : (subject) => any.some((test) => test(subject));
  }

  function both(): Test {
    const all = joinedBy("and", negation);
    return all.length === 1 ? (all[0] as Test) : (subject) => all.every((test) => test(subject));
  }

  /** A list, however long, and not a chain: each link of a chain would take room on the stack. */
  function joinedBy(word: "and" | "or", read: () => Test): Test[] {
    const tests = [read()];
    while (is(word)) {
      take();
      tests.push(read());
    }
    return tests;
  }

  function negation(): Test {
    let isNegated = false;
    while (is("not")) {
      take();
      isNegated = !isNegated;
    }
    const inner = comparison();
    return isNegated ? (subject) => !inner(subject) : inner;
  }

  function comparison(): Test {
    if (is("(")) {
      const { at } = take();
      if (++depth > MAX_DEPTH) throw new ExpressionError(`more than ${MAX_DEPTH} ( are open`, at);
      const inner = either();
      expect(")");
      depth--;
      return inner;
    }
    if (is("exists")) {
      take();
      const { read } = operand();
      return (subject) => read(subject) !== undefined;
    }
    const { read, like } = operand();
    const operator = take();
    const compare = operator.kind === "text" ? undefined : COMPARISONS.get(operator.text);
    if (!compare) {
      next--;
      return fail('"==", "!=", "starts_with" or "contains"');
    }
    const wanted = literal()(like);
    return (subject) => compare(read(subject), wanted);
  }

  function operand(): { read: Operand; like: "mac" | "giaddr" | "other" } {
    const token = peek();
    if (token.kind === "word" && (token.text === "option" || token.text === "option6")) {
      take();
      expect("[");
      const isOf6 = token.text === "option6";
      const code = optionCode(isOf6);
      expect("]");
      if (isOf6) return { read: (subject) => subject.option6(code), like: "other" };
      if (code === CODE.relayAgent) asksRelay = true;
      return { read: (subject) => subject.option(code), like: "other" };
    }
    if (token.kind === "word" && Object.hasOwn(FIELDS, token.text)) {
      const name = take().text as FieldName;
      if (RELAY_FIELDS.has(name)) asksRelay = true;
      return {
        read: (subject) => subject.field(name),
        like: name === "duid" ? "mac" : name === "mac" || name === "giaddr" ? name : "other",
      };
    }
    return fail(`option[…] or one of ${Object.keys(FIELDS).join(", ")}`);
  }

  function optionCode(isOf6: boolean): number {
    const token = peek();
    const [codes, most] = isOf6 ? [OPTION6_CODES, 65_535] : [OPTION_CODES, 254];
    const code = token.kind === "number" ? Number(token.text) : codes.get(token.text);
    if (code === undefined || code < 1 || code > most)
      return fail(`an option's number from 1 to ${most} or its name`);
    take();
    return code;
  }

  function literal(): Literal {
    const token = take();
    if (token.kind === "number" && token.text.startsWith("0x")) {
      const bytes = parseHex(token.text);
      if (bytes) return () => bytes;
      throw new ExpressionError("hex must have an even number of digits, as in 0x0007", token.at);
    }
    if (token.kind === "text") {
      return (like) => {
        const bytes =
          like === "mac"
            ? parseHex(token.text)
            : like === "giaddr"
              ? addressBytes(token.text)
              : textBytes(token.text);
        if (bytes) return bytes;
        throw new ExpressionError(
          `"${token.text}" is not ${like === "mac" ? "a hardware address" : "an IPv4 address"}`,
          token.at,
        );
      };
    }
    next--;
    return fail("a text in quotes or hex like 0x0007");
  }

  const whole = either();
  if (peek().kind !== "end") fail('"and", "or" or the end');
  return Object.assign(whole, { asksRelay });
}

function addressBytes(text: string): Uint8Array | undefined {
  const address = parseIpv4(text);
  return address === undefined ? undefined : u32Bytes(address);
}

const startsWith = (value: Uint8Array | undefined, wanted: Uint8Array) =>
  value !== undefined && value.length >= wanted.length && wanted.every((octet, i) => value[i] === octet);
const equals = (value: Uint8Array | undefined, wanted: Uint8Array) =>
  value?.length === wanted.length && startsWith(value, wanted);

function includes(value: Uint8Array, wanted: Uint8Array): boolean {
  for (let at = 0; at + wanted.length <= value.length; at++) {
    if (startsWith(value.subarray(at), wanted)) return true;
  }
  return false;
}

const COMPARISONS: ReadonlyMap<string, (value: Uint8Array | undefined, wanted: Uint8Array) => boolean> =
  new Map([
    ["==", equals],
    ["!=", (value, wanted) => !equals(value, wanted)],
    ["starts_with", startsWith],
    ["contains", (value, wanted) => value !== undefined && includes(value, wanted)],
  ]);
