/** A section of a file of systemd or NetworkManager, with its lines as they are; what precedes the first one has no name. */
export interface Section {
  readonly name: string;
  readonly lines: readonly string[];
}

export function sectionsOf(text: string): Section[] {
  const sections = [{ name: "", lines: [] as string[] }];
  for (const line of text.split("\n")) {
    const trimmed = line.trim();
    if (trimmed.startsWith("[") && trimmed.endsWith("]"))
      sections.push({ name: trimmed.slice(1, -1), lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections;
}

export const iniText = (sections: readonly Section[]) =>
  sections
    .map(({ name, lines }) => `${name && `[${name}]\n`}${lines.join("\n").trim()}\n`)
    .filter((text) => text.trim() !== "")
    .join("\n");

/** The key and the value of a line; undefined of one that has none. */
export function settingOf(line: string): { readonly key: string; readonly value: string } | undefined {
  const at = line.indexOf("=");
  if (at < 0 || /^\s*[#;]/.test(line)) return undefined;
  return { key: line.slice(0, at).trim(), value: line.slice(at + 1).trim() };
}

/** The last value of a key in a section; the last is the one that counts. */
export const lastValue = ({ lines }: Section, key: string): string | undefined =>
  lines.map(settingOf).findLast((setting) => setting?.key === key)?.value;
