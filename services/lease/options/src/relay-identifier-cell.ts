/**
 * What a relay says of a port is a text that may hold anything, spaces too: several of them are a JSON list in a cell of
 * CSV, and so is one that would be read as a list.
 */
export const relayIdentifierCell = (value: string | string[] | undefined): string | undefined =>
  typeof value === "string" && !value.startsWith("[") ? value : value && JSON.stringify([value].flat());

export function relayIdentifiersIn(cell: string): string | string[] {
  if (!cell.startsWith("[")) return cell;
  try {
    const list: unknown = JSON.parse(cell);
    if (!Array.isArray(list) || !list.every((each) => typeof each === "string")) return cell;
    return list.length === 1 ? String(list[0]) : list;
  } catch {
    return cell;
  }
}
