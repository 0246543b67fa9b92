/** How far brackets may be inside each other for a text to be parsed; what is told of fewer has its place. */
const MAX_OPEN = 1000;

/**
 * Whether lists and tables are so far inside each other that a parser, which keeps something of each that is open, would
 * take gigabytes for a text of a few megabytes. Brackets in texts and comments do not count.
 */
export function isBeyondParsing(text: string): boolean {
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === "[" || sign === "{") open++;
    else if (sign === "]" || sign === "}") open--;
    else if (sign === "#") at = endOfLine(text, at);
    else if (sign === '"' || sign === "'") at = endOfString(text, at, sign);
    if (open > MAX_OPEN) return true;
  }
  return false;
}

/** To the parser a lone carriage return ends a line, too: it complains, and goes on. */
function endOfLine(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== "\n" && text[at] !== "\r") at++;
  return at;
}

/** Where the string that begins here has its last quotation mark; or, without one, its line or the text ends. */
function endOfString(text: string, from: number, quote: string): number {
  const isLong = text.startsWith(quote.repeat(3), from);
  const mark = isLong ? quote.repeat(3) : quote;
  for (let at = from + mark.length; at < text.length; at++) {
    if (text[at] === "\\" && quote === '"') at++;
    else if (text[at] === "\n" && !isLong) return at;
    else if (text.startsWith(mark, at)) return isLong ? lastOf(text, at + 2, quote) : at;
  }
  return text.length;
}

/** A long string may have two quotation marks of its own before the three that end it. */
function lastOf(text: string, third: number, quote: string): number {
  if (text[third + 1] !== quote) return third;
  return text[third + 2] === quote ? third + 2 : third + 1;
}
