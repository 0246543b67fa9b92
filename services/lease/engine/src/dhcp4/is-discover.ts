import { TYPE } from "@frontdesk/lease-options/option-table";

/** Whether a packet begins an exchange. A look at the bytes, before anything is spent on it. */
export function isDiscover(bytes: Uint8Array): boolean {
  for (let at = 240; at + 2 < bytes.length; ) {
    const code = bytes[at] as number;
    if (code === 53) return bytes[at + 2] === TYPE.discover;
    if (code === 255) return false;
    at += code === 0 ? 1 : 2 + (bytes[at + 1] as number);
  }
  return false;
}
