import type { StreamParser } from "@codemirror/language";

/** ZPL: commands after a caret or a tilde, field data until the next one, placeholders in double braces. */
export const zplLanguage: StreamParser<{ inData: boolean }> = {
  name: "zpl",
  startState: () => ({ inData: false }),
  token(stream, state) {
    if (stream.match(/^\{\{[^}]*\}\}/)) return "atom";
    if (stream.match(/^\^FX[^^~]*/)) return "comment";
    if (stream.match(/^[\^~][A-Z0-9]{1,2}/i)) {
      state.inData = /^\^(FD|FV|SN)/i.test(stream.current());
      return "keyword";
    }
    if (state.inData) {
      stream.match(/^[^^~{]+/) || stream.next();
      return "string";
    }
    if (stream.match(/^\d+(\.\d+)?/)) return "number";
    stream.next();
    return null;
  },
};
