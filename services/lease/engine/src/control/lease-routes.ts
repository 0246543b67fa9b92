import { setTimeout } from "node:timers/promises";
import type { HttpServer } from "@frontdesk/kit/http-server";
import { type ImportedLease, LeaseImport, LeasesImported } from "@frontdesk/lease-control-api/lease-import";
import {
  ExplainQuery,
  Explanation,
  Lease,
  LeaseChange,
  LeasePage,
  LeaseQuery,
  Released,
  Releases,
  ReservedLeases,
} from "@frontdesk/lease-control-api/schemas";
import {
  formatIpv4,
  formatIpv6,
  formatPrefix6,
  parseHex,
  parseIpv6,
  textBytes,
} from "@frontdesk/lease-options/address";
import { CODE, OPTION_CODES, OPTIONS } from "@frontdesk/lease-options/option-table";
import { Unfit } from "@frontdesk/lease-options/option-types";
import { type Static, Type } from "typebox";
import { FOREVER } from "../leases/binding.ts";
import { type AnyForeignLease, isForeign6 } from "../leases/foreign-lease.ts";
import { ADDRESS_BITS, isPrefix } from "../leases/lease6-record.ts";
import { assertOneProtocol } from "./asked-protocol.ts";
import { listLeases } from "./lease-list.ts";
import { leaseView, leaseView6 } from "./lease-view.ts";
import { addressFrom, anyAddressFrom, type ControlParts, macFrom, refuse, timeFrom } from "./parts.ts";

/** Released or imported in one transaction: few enough that no packet waits for it. */
const MAX_BATCH = 250;
/** How often it is looked whether the peer has acknowledged what was imported, and at most how many times. */
const ACKNOWLEDGEMENT_MS = 50;
const MAX_ASKED = 200;
/** What the options of a packet can hold, on an Ethernet. */
const MAX_OPTION_OCTETS = 1500;
const MAX_PORT_OCTETS = 255;
const MAX_EXPLAIN_BODY = 64 * 1024;
/** RFC 9915 section 11.1. */
const MIN_DUID = 3;
const MAX_DUID = 130;
const IF_MATCH = "With If-Match, refused with 412 unless it names the `version` of the lease.";

/** The version that the caller has seen, where it tells. */
const seenIn = (headers: { "if-match"?: string | undefined }) => headers["if-match"]?.replace(/^"|"$/g, "");

function foreignLease({ ip, mac, client_id, duid, iaid, ...lease }: ImportedLease): AnyForeignLease {
  const { hostname = null, expires_at: end } = lease;
  const until = end === null ? FOREVER : Math.min(FOREVER - 1, Math.floor(timeFrom(end) / 1000));
  if (!ip.includes(":"))
    return {
      ip: addressFrom(ip),
      mac: (mac === undefined ? undefined : parseHex(mac)) ?? refuse("bad_mac"),
      clientId: client_id === undefined ? null : (parseHex(client_id) ?? refuse("bad_option")),
      hostname,
      until,
    };
  const octets = parseHex(duid ?? "") ?? new Uint8Array(0);
  if (octets.length < MIN_DUID || octets.length > MAX_DUID || iaid === undefined) return refuse("bad_duid");
  return {
    ...prefixFrom(ip),
    duid: octets,
    iaid,
    mac: parseHex(mac ?? "") ?? new Uint8Array(0),
    hostname,
    until,
  };
}

/** An address is a prefix of all its bits. */
function prefixFrom(ip: string): { address: bigint; length: number } {
  const [, text = "", length = String(ADDRESS_BITS)] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(ip) ?? [];
  const found = { address: parseIpv6(text) ?? refuse("bad_address"), length: Number(length) };
  return found.length <= ADDRESS_BITS ? found : refuse("bad_address");
}

const shownAddress = (lease: AnyForeignLease) =>
  isForeign6(lease)
    ? isPrefix(lease)
      ? formatPrefix6(lease)
      : formatIpv6(lease.address)
    : formatIpv4(lease.ip);

/** Takes over leases of one transaction, and waits until the peer has them; answers those that were not. */
async function importAll(
  leases: readonly AnyForeignLease[],
  thread: ControlParts["thread"],
): Promise<LeasesImported["refused"]> {
  const refused: LeasesImported["refused"] = [];
  let pending = leases;
  for (let times = 0; pending.length > 0; times++) {
    if (times > 0) await setTimeout(ACKNOWLEDGEMENT_MS);
    const answers = await thread.ask("importMany", { leases: pending });
    if (answers === "not_saved") return refuse(answers);
    const asked = pending;
    pending = asked.filter((_, i) => answers[i] === "pending" && times < MAX_ASKED);
    for (const [i, lease] of asked.entries()) {
      const answer = answers[i];
      const reason = answer === "pending" ? "unacknowledged" : answer;
      if (reason && !pending.includes(lease)) refused.push({ ip: shownAddress(lease), reason });
    }
  }
  return refused;
}

const AddressPath = Type.Object({ ip: Type.String() });

export function leaseRoutes(app: HttpServer, { history, config, thread, now }: ControlParts): void {
  const moment = () => ({ now: now(), offset: history.clockOffset() });
  const leaseAt = (ip: number | bigint): Lease | undefined => {
    if (typeof ip === "number") {
      const lease = history.leases.find(ip);
      return lease && leaseView(lease, config.config, moment());
    }
    const lease = history.leases.find6(ip);
    return lease && leaseView6(lease, config.config, moment());
  };

  app.get(
    "/v1/leases",
    { schema: { summary: "Leases, by address", querystring: LeaseQuery, response: { 200: LeasePage } } },
    async ({ query }) => listLeases(query, history.leases, config.config, moment()),
  );

  app.get(
    "/v1/reserved-leases",
    {
      schema: {
        summary:
          "What is held, or was last held, of the addresses that are reserved; and where their devices are meanwhile",
        response: { 200: ReservedLeases },
      },
    },
    async () => {
      const { reservedAddresses, v6 } = config.config;
      const found = [...reservedAddresses.keys(), ...v6.reserved.keys()].map(leaseAt);
      const keys = [...reservedAddresses.values()].flatMap((each) => each.keys);
      const keys6 = [...v6.reserved.keys()].flatMap((address) => v6.reserved.get(address)?.keys ?? []);
      const elsewhere = [
        ...history.leases.addressesOf(keys).filter((ip) => !reservedAddresses.has(ip)),
        ...history.leases.addressesOf6(keys6).filter((address) => !v6.reserved.has(address)),
      ];
      return {
        items: found.filter((lease) => lease !== undefined),
        elsewhere: elsewhere.flatMap((ip) => leaseAt(ip) ?? []),
      };
    },
  );

  app.get(
    "/v1/leases/:ip",
    { schema: { summary: "One lease", params: AddressPath, response: { 200: Lease } } },
    async ({ params }) => leaseAt(anyAddressFrom(params.ip)) ?? refuse("no_lease"),
  );

  app.delete(
    "/v1/leases/:ip",
    {
      schema: {
        summary: "Release a lease",
        description: IF_MATCH,
        params: AddressPath,
        response: { 204: Type.Null() },
      },
    },
    async ({ params, headers }, reply) => {
      const outcome = await thread.ask("release", { ip: anyAddressFrom(params.ip), seen: seenIn(headers) });
      if (outcome !== "released") refuse(outcome);
      return reply.code(204).send(null);
    },
  );

  app.post(
    "/v1/leases/release",
    {
      schema: { summary: "Release many leases", body: Releases, response: { 200: Released } },
    },
    async ({ body }) => {
      const versions = new Map(Object.entries(body.versions ?? {}));
      const leases = body.addresses.map((text) => ({ ip: anyAddressFrom(text), seen: versions.get(text) }));
      let released = 0;
      for (let from = 0; from < leases.length; from += MAX_BATCH) {
        const done = await thread.ask("releaseMany", { leases: leases.slice(from, from + MAX_BATCH) });
        released += done === "not_saved" ? refuse(done) : done;
      }
      return { released };
    },
  );

  app.post(
    "/v1/leases/import",
    {
      schema: {
        summary: "Take over leases that another server gave",
        body: LeaseImport,
        response: { 200: LeasesImported },
      },
    },
    async ({ body }) => {
      const leases = body.leases.map(foreignLease);
      const refused: LeasesImported["refused"] = [];
      for (let from = 0; from < leases.length; from += MAX_BATCH) {
        refused.push(...(await importAll(leases.slice(from, from + MAX_BATCH), thread)));
      }
      return { imported: leases.length - refused.length, refused };
    },
  );

  app.patch(
    "/v1/leases/:ip",
    {
      schema: {
        summary: "Say something of the device that has a lease",
        description: IF_MATCH,
        params: AddressPath,
        body: LeaseChange,
        response: { 200: Lease },
      },
    },
    async ({ params, body, headers }) => {
      const ip = anyAddressFrom(params.ip);
      const { note, dns_name: dnsName } = body;
      const outcome = await thread.ask("note", { ip, note, dnsName, seen: seenIn(headers) });
      if (outcome !== "saved") refuse(outcome);
      return leaseAt(ip) ?? refuse("no_lease");
    },
  );

  app.post(
    "/v1/leases/:ip/force-renew",
    {
      schema: {
        summary: "Tell a client to renew now (RFC 3203, RFC 6704; RECONFIGURE of RFC 9915)",
        params: AddressPath,
        response: { 202: Type.Object({ status: Type.Literal("sent") }) },
      },
    },
    async ({ params }, reply) => {
      const outcome = await thread.ask("forceRenew", { ip: anyAddressFrom(params.ip) });
      return outcome === "sent" ? reply.code(202).send({ status: outcome }) : refuse(outcome);
    },
  );

  app.post(
    "/v1/explain",
    {
      bodyLimit: MAX_EXPLAIN_BODY,
      schema: {
        summary: "What a client would get and why; nothing is kept of it",
        body: ExplainQuery,
        response: { 200: Explanation },
      },
    },
    async ({ body }) => {
      assertOneProtocol(body);
      if (body.duid !== undefined) {
        const told = await thread.ask("explain6", explainQuery6(body));
        if (told === "off") return refuse("dhcpv6_off");
        return { outcome: told.outcome, steps: [...told.steps], reply: told.reply ?? null };
      }
      const options = Object.entries(body.options ?? {}).map(([key, value]) => optionFrom(key, value));
      if (body.client_id !== undefined) {
        options.push([CODE.clientIdentifier, parseHex(body.client_id) ?? refuse("bad_option")]);
      }
      const port = [...subOption(1, body.circuit_id), ...subOption(2, body.remote_id)];
      if (port.length > 0) options.push([CODE.relayAgent, Uint8Array.from(port)]);
      const octets = options.reduce((sum, [, value]) => sum + value.length, 0);
      if (octets > MAX_OPTION_OCTETS) refuse("bad_option");
      const giaddr = body.giaddr === undefined ? 0 : addressFrom(body.giaddr);
      const mac = macFrom(body.mac ?? "");
      const told = await thread.ask("explain", { mac, giaddr, interface: body.interface, options });
      return { outcome: told.outcome, steps: [...told.steps], reply: told.reply ?? null };
    },
  );
}

function explainQuery6(query: Static<typeof ExplainQuery>) {
  const { duid = "", iaid, mac, link, prefix = false } = query;
  const octets = parseHex(duid);
  if (!octets || octets.length < MIN_DUID) return refuse("bad_duid");
  return {
    duid: octets,
    iaid,
    mac: mac === undefined ? undefined : macFrom(mac),
    interfaceId: portFrom(query.interface_id),
    remoteId: portFrom(query.remote_id),
    link: link === undefined ? 0n : (parseIpv6(link) ?? refuse("bad_address")),
    interface: query.interface,
    prefix,
  };
}

/** What a relay says of a port, as a lease shows it. */
function portFrom(text: string | undefined): Uint8Array | undefined {
  if (text === undefined) return undefined;
  const octets = text.startsWith("0x") ? parseHex(text) : textBytes(text);
  return octets && octets.length <= MAX_PORT_OCTETS ? octets : refuse("bad_option");
}

/** RFC 3046 section 2.0: a code, a length, and the value. */
function subOption(code: number, text: string | undefined): number[] {
  const octets = portFrom(text);
  return octets ? [code, octets.length, ...octets] : [];
}

function optionFrom(key: string, value: unknown): [number, Uint8Array] {
  const code = /^\d{1,3}$/.test(key) ? Number(key) : OPTION_CODES.get(key);
  const type = code === undefined ? undefined : OPTIONS[code]?.type;
  if (code === undefined || !type) return refuse("bad_option");
  try {
    return [code, type.write(value)];
  } catch (error) {
    if (error instanceof Unfit) return refuse("bad_option");
    throw error;
  }
}
