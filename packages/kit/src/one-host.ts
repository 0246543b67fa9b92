import type { IncomingMessage } from "node:http";

/**
 * Whether a request names its host no more than once. RFC 9112 section 3.2: with two `Host` fields it is refused, since what
 * stands before the service may have gone by the other one than the service.
 */
export function hasOneHost({ rawHeaders }: Pick<IncomingMessage, "rawHeaders">): boolean {
  let isFound = false;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length !== 4 || name.toLowerCase() !== "host") continue;
    if (isFound) return false;
    isFound = true;
  }
  return true;
}
