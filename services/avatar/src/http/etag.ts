/** Whether a caller that sends this `If-None-Match` already has the picture (RFC 9110, 13.1.2). */
export function alreadyHas(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(",").some((tag) => {
    const given = tag.trim();
    return given === "*" || given.replace(/^W\//, "") === etag;
  });
}
