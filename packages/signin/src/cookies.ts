import { parseCookie } from "cookie";

export interface CookieScope {
  readonly name: string;
  /** The parent domain whose hosts all get the cookie; without it, only the host that set it. */
  readonly domain: string | undefined;
  /** Only over https. */
  readonly secure: boolean;
}

export function cookieAttributes({ name, domain, secure }: CookieScope) {
  const own = { name, path: "/", httpOnly: true, sameSite: "lax" as const, secure };
  return domain ? { ...own, domain } : own;
}

/**
 * All values of a cookie. A browser that got it for the host alone and later for the parent domain
 * sends both, and the older one first.
 */
export function cookieValues(header: string, name: string): string[] {
  return header.split(";").flatMap((pair) => {
    const value = parseCookie(pair)[name];
    return value ? [value] : [];
  });
}
