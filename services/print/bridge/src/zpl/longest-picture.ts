import { BINARY, createZplScanner } from "./scanner.ts";

/** In bytes, and rather too many: of the graphics in a job's data that may be counted, and hold any byte, the longest. */
export function longestPicture(data: Uint8Array): number {
  let longest = 0;
  const scanner = createZplScanner({
    command: ({ name, parametersAt, end }) => {
      if (name in BINARY) longest = Math.max(longest, end - parametersAt);
    },
  });
  scanner.push(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("latin1"));
  scanner.finish();
  return longest;
}
