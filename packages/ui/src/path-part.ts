/** What a part of the page's address says; an address that a person mistyped says itself. */
export function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
