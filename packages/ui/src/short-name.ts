/** Letters that other scripts' decomposition does not reach, as people of their language write them. */
const LETTERS: Readonly<Record<string, string>> = {
  ä: "ae",
  ö: "oe",
  ü: "ue",
  ß: "ss",
  æ: "ae",
  ø: "o",
  å: "a",
  œ: "oe",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ı: "i",
};

/**
 * A short name for an address or a file, from what people call a thing: `Lager Süd – Straße 5` gives
 * `lager-sued-strasse-5`. A name without Latin letters or digits gives `fallback` with the next free number.
 */
export function shortName(
  name: string,
  options: { taken?: readonly string[]; fallback: string; max?: number },
): string {
  const { taken = [], fallback, max = 40 } = options;
  const latin = name
    .toLowerCase()
    .replace(/[äöüßæøåœđðþłı]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, max)
    .replace(/^-|-$/g, "");
  if (latin && !taken.includes(latin)) return latin;
  const stem = latin || fallback;
  for (let number = latin ? 2 : 1; ; number++) {
    const candidate = `${stem.slice(0, max - 5)}-${number}`;
    if (!taken.includes(candidate)) return candidate;
  }
}
