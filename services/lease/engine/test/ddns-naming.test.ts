import assert from "node:assert/strict";
import { test } from "node:test";
import { parseIpv4, textBytes } from "@frontdesk/lease-options/address";
import { namePolicy } from "../src/ddns/naming.ts";
import { EMPTY_RECORD } from "../src/dhcp4/lease-details.ts";
import { fqdnOf } from "../src/dhcp6/client-names.ts";
import { EMPTY_RECORD6 } from "../src/dhcp6/lease-details.ts";
import { STATE } from "../src/leases/binding.ts";
import { configOf } from "./desk.ts";
import { CLIENT, ip6, octets } from "./desk6.ts";

interface Given {
  readonly ddns?: string;
  readonly subnet?: string;
  readonly zone?: string;
}

/** What leases of both families are called that say this. */
function names({ ddns = "", subnet = "", zone = "office.example" }: Given = {}) {
  const policy = namePolicy(
    configOf(`[ddns]
enabled = true
server = "127.0.0.1:53"
forward_zone = "${zone}"
reverse_zone = "77.10.in-addr.arpa"
${ddns}
[[ddns.zone]]
name = "back.office.example"
network = "192.0.2.64/26"
[[subnet]]
network = "10.77.0.0/16"
${subnet}
[[subnet.reservation]]
ip = "10.77.0.50"
mac = "02:00:00:00:00:50"
[[subnet]]
network = "fd77::/64"
${subnet}
[[subnet.reservation]]
ip = "fd77::50"
duid = "${CLIENT}"
`),
  );
  assert.ok(policy);
  const v4 = (hostname: string | null) =>
    policy.nameOf(
      { ...EMPTY_RECORD, ip: parseIpv4("10.77.1.9") as number, state: STATE.bound, hostname },
      null,
    )?.name;
  const v6 = (hostname: string | null) =>
    policy.nameOf6(
      { ...EMPTY_RECORD6, address: ip6("fd77::9"), duid: octets(CLIENT), state: STATE.bound, hostname },
      null,
    )?.name;
  return { policy, v4, v6 };
}

test("the domain of a subnet, names made from the address and kept names of reservations hold for both families", () => {
  const own = names({ subnet: 'ddns_domain = "lab.office.example"' });
  assert.deepEqual([own.v4("anna"), own.v6("anna")], ["anna.lab.office.example", "anna.lab.office.example"]);
  const made = names({ ddns: 'name_policy = "server"' });
  assert.deepEqual(
    [made.v4("anna"), made.v6("anna")],
    ["dhcp-10-77-1-9.office.example", "dhcp-fd77--9.office.example"],
  );
  const { policy } = names({ ddns: "keep_for_reservations = true" });
  const kept = [parseIpv4("10.77.0.50") as number, parseIpv4("10.77.0.51") as number];
  assert.deepEqual(kept.map(policy.keeps), [true, false]);
  assert.deepEqual([ip6("fd77::50"), ip6("fd77::51")].map(policy.keeps), [true, false]);
});

test("no client is called by a name in a reverse zone", () => {
  const { v4, v6 } = names();
  for (const called of [v4, v6]) {
    assert.equal(called("9.1.77.10.in-addr.arpa"), "9.office.example");
    assert.equal(called("65.back.office.example"), "65.office.example", "RFC 2317");
    assert.equal(called("anna.office.example"), "anna.office.example");
    assert.equal(called("office.example"), "office.office.example");
  }
});

test("a label is cut so that the whole name fits into DNS", () => {
  const zone = ["a", "b", "c", "d"].map((letter) => letter.repeat(60)).join(".");
  const { v4, v6 } = names({ zone });
  for (const called of [v4, v6]) assert.equal(called("x".repeat(63)), `xxxxxxxxx.${zone}`);
  assert.equal(`xxxxxxxxx.${zone}`.length, 253);
});

test("a name in DNS form that is longer than DNS has them is none", () => {
  const labels = (count: number) => Array.from({ length: count }, () => [9, ...textBytes("a".repeat(9))]);
  assert.equal(fqdnOf(Uint8Array.from([0, ...labels(25).flat(), 0]))?.length, 249);
  assert.equal(fqdnOf(Uint8Array.from([0, ...labels(26).flat(), 0])), undefined);
});
