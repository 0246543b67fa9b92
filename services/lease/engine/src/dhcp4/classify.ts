import type { FieldName, Subject } from "@frontdesk/lease-config/class-expression";
import type { ClassRule } from "@frontdesk/lease-config/config";
import { u32Bytes } from "@frontdesk/lease-options/address";
import { CODE } from "@frontdesk/lease-options/option-table";
import type { Exchange, Step } from "./exchange.ts";

const NONE: readonly ClassRule[] = [];

const READ: Readonly<Record<FieldName, (x: Exchange) => Uint8Array | undefined>> = {
  mac: ({ request }) => request.chaddr,
  vendor_class: ({ request }) => request.options.get(CODE.vendorClass),
  user_class: ({ request }) => request.options.get(CODE.userClass),
  host_name: ({ request }) => request.options.get(CODE.hostName),
  circuit_id: ({ relay }) => relay.circuitId,
  remote_id: ({ relay }) => relay.remoteId,
  giaddr: ({ request }) => u32Bytes(request.giaddr),
  interface: ({ ingress }) => new Uint8Array(Buffer.from(ingress.interfaceName)),
};

/** Which classes the client is in, in the order of the configuration. */
export const classify: Step = (x) => {
  const rules = x.config.classes;
  if (rules.length === 0) x.classes = NONE;
  else {
    const subject: Subject = {
      option: (code) => x.request.options.get(code),
      field: (name) => READ[name](x),
    };
    x.classes = rules.filter((rule) => rule.matches(subject));
  }
  x.trail?.push(
    x.classes.length > 0
      ? `It is in the classes ${x.classes.map(({ name }) => name).join(", ")}.`
      : "It is in no class.",
  );
  return "continue";
};
