import { hash } from "node:crypto";
import { MAX_TEXT_OCTETS } from "./ha/octets.ts";

/**
 * A client as rows name it: a name that no message has room for, of a reservation with thousands of devices, is a hash.
 * Names are ASCII.
 */
export const clientName = (name: string): string =>
  name.length <= MAX_TEXT_OCTETS ? name : `sha256 ${hash("sha256", name, "hex")}`;
