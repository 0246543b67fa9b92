/**
 * How text becomes bytes under `^CI`. Each single-byte set is told by its upper half; U+FFFD stands where it
 * has no character.
 */
const CODE_PAGE_850 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´­±‗¾¶§÷¸°¨·¹³²■ ";
const WINDOWS_1252 =
  "€�‚ƒ„…†‡ˆ‰Š‹Œ�Ž��‘’“”•–—˜™š›œ�žŸ ¡¢£¤¥¦§¨©ª«¬­®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ";

const singleByte = (upperHalf: string) => {
  const bytes = new Map([...upperHalf].map((character, at) => [character, 0x80 + at]));
  return (text: string): Uint8Array | undefined => {
    const encoded: number[] = [];
    for (const character of text) {
      const code = character.codePointAt(0) as number;
      const byte = code < 0x80 ? code : bytes.get(character);
      if (byte === undefined || character === "\ufffd") return undefined;
      encoded.push(byte);
    }
    return Uint8Array.from(encoded);
  };
};

const utf8 = (text: string): Uint8Array => Buffer.from(text, "utf8");
const codePage850 = singleByte(CODE_PAGE_850);
const windows1252 = singleByte(WINDOWS_1252);
const ascii = singleByte("");

export const UTF8_CHARSET = "28";

/** Text in the bytes of a `^CI` number; undefined where it has a character that cannot be said in them. */
export function encodeText(text: string, charset: string): Uint8Array | undefined {
  if (charset === UTF8_CHARSET) return utf8(text);
  if (charset === "27") return windows1252(text);
  // 0 to 12 are code page 850 with a few national signs in the lower half, 13 is the page itself.
  if (/^(?:\d|1[0-3])$/.test(charset)) return codePage850(text);
  return ascii(text);
}

/** Bytes as a person, or a program that draws labels, reads them: UTF-8, or else Windows' western letters. */
export function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
