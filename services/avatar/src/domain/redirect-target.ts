const MAX_URL_LENGTH = 2048;

/** Which hosts `d=<url>` may lead to: exact names, `*.example.org` for every name below, or `*`. */
export type AllowsHost = (host: string) => boolean;

export function allowedHosts(patterns: readonly string[]): AllowsHost {
  const wanted = patterns.map((pattern) => pattern.toLowerCase());
  return (host) =>
    wanted.some((pattern) =>
      pattern === "*" ? true : pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : host === pattern,
    );
}

/**
 * The address that a caller may be sent to, or undefined. The text itself is judged before the URL
 * parser sees it, because the parser quietly repairs what browsers and proxies read differently:
 * backslashes, control characters, a missing slash.
 */
export function redirectTarget(text: string, allows: AllowsHost): string | undefined {
  if (text.length > MAX_URL_LENGTH || !/^https?:\/\/[^/?#]/i.test(text) || hasTrickyCharacter(text))
    return undefined;
  const url = URL.parse(text);
  if (!url?.hostname || url.username || url.password) return undefined;
  // An empty user name ("http://@host") parses to none, and still reads like one.
  if (/^https?:\/\/[^/?#]*@/i.test(text)) return undefined;
  return allows(url.hostname) ? url.href : undefined;
}

function hasTrickyCharacter(text: string): boolean {
  return [...text].some((character) => {
    const code = character.codePointAt(0) ?? 0;
    return code <= 0x20 || (code >= 0x7f && code <= 0xa0) || character === "\\";
  });
}
