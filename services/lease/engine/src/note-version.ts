import { createHash } from "node:crypto";
import type { DeviceNote } from "./leases/lease-record.ts";

/** Of what people say of a device: whoever changes it may name what they have seen. Another device on the address is another version. */
export const noteVersion = (
  mac: Uint8Array,
  { note, dnsName }: Pick<DeviceNote, "note" | "dnsName">,
): string =>
  createHash("sha256")
    .update(JSON.stringify([Buffer.from(mac).toString("hex"), note, dnsName]))
    .digest("hex")
    .slice(0, 16);
