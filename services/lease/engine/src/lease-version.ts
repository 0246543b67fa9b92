import { hash } from "node:crypto";
import type { DeviceNote } from "./leases/lease-record.ts";

/** Whoever has a lease, or had it last. */
export interface Holder {
  readonly mac: Uint8Array;
  /** Of DHCPv4. */
  readonly clientId?: Uint8Array | null;
  /** Of DHCPv6. */
  readonly duid?: Uint8Array;
}

/** Of who has a lease and what people say of the device: whoever changes or ends it may name what they have seen. */
export function leaseVersion(
  { mac, clientId, duid }: Holder,
  said: Pick<DeviceNote, "note" | "dnsName"> | undefined,
): string {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
  // What is said is of the hardware, whatever it calls itself.
  const device = mac.length > 0 ? mac : (clientId ?? duid ?? mac);
  return hash("sha256", JSON.stringify([hex(device), said?.note ?? null, said?.dnsName ?? null])).slice(
    0,
    16,
  );
}
