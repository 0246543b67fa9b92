import assert from "node:assert/strict";
import { test } from "node:test";
import { isDnsmasq, readDnsmasq } from "../src/lease-files/dnsmasq.ts";
import { isIsc, readIsc } from "../src/lease-files/isc-dhcpd.ts";
import { isKea, readKea } from "../src/lease-files/kea.ts";

const KEA = `address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state,user_context,pool_id
10.77.1.1,02:00:00:00:00:01,01:02:00:00:00:00:01,3600,1763287200,1,0,0,desk.,0,,0
10.77.1.2,02:00:00:00:00:02,,4294967295,6058254495,1,0,0,,0,,0
10.77.1.3,02:00:00:00:00:03,,3600,1763287200,1,0,0,a&#x2cb,0,,0
10.77.1.3,02:00:00:00:00:03,,3600,1763287200,1,0,0,a&#x2cb,2,,0
10.77.1.4,02:00:00:00:00:04,,0,1763287200,1,0,0,,0,,0
`;

test("Kea: the last line about an address holds; released, reclaimed and deleted ones are not in force", () => {
  assert.ok(isKea(KEA));
  const leases = readKea(KEA);
  assert.deepEqual(leases.get("10.77.1.1"), {
    ip: "10.77.1.1",
    mac: "02:00:00:00:00:01",
    clientId: "01:02:00:00:00:00:01",
    hostname: "desk",
    expires: 1_763_287_200,
    isActive: true,
  });
  assert.equal(leases.get("10.77.1.2")?.expires, undefined, "for ever");
  assert.deepEqual([leases.get("10.77.1.3")?.isActive, leases.get("10.77.1.3")?.hostname], [false, "a,b"]);
  assert.equal(leases.get("10.77.1.4")?.isActive, false);
});

const DNSMASQ = `1763287200 02:00:00:00:00:01 10.77.1.1 desk 01:02:00:00:00:00:01
0 02:00:00:00:00:02 10.77.1.2 * *
1763287200 06-02:00:00:00:00:00:00:03 10.77.1.3 * ff:00
duid 00:01:00:01:aa
1763287200 12345 fd77::1 host 00:01
`;

test("dnsmasq: no name, no identifier and no end are told by * and 0; DHCPv6 is left", () => {
  assert.ok(isDnsmasq(DNSMASQ));
  const leases = readDnsmasq(DNSMASQ);
  assert.deepEqual([...leases.keys()], ["10.77.1.1", "10.77.1.2", "10.77.1.3"]);
  assert.deepEqual(
    [...leases.values()].map(({ mac, clientId, hostname, expires }) => [mac, clientId, hostname, expires]),
    [
      ["02:00:00:00:00:01", "01:02:00:00:00:00:01", "desk", 1_763_287_200],
      ["02:00:00:00:00:02", undefined, undefined, undefined],
      ["", "ff:00", undefined, 1_763_287_200],
    ],
  );
});

const ISC = `# The format of this file is documented in the dhcpd.leases(5) manual page.
authoring-byte-order little-endian;

lease 10.77.1.1 {
  starts 0 2025/11/16 09:00:00;
  ends 0 2025/11/16 10:00:00;
  cltt 0 2025/11/16 09:00:00;
  binding state active;
  next binding state free;
  rewind binding state free;
  hardware ethernet 02:00:00:00:00:01;
  uid "\\001\\002\\000\\000\\000\\"\\\\";
  set vendor-class-identifier = "MSFT 5.0";
  client-hostname "desk; {one}";
}
lease 10.77.1.2 {
  ends never;
  binding state active;
  hardware ethernet 02:00:00:00:00:02;
}
lease 10.77.1.3 {
  ends epoch 1763287200; # Sun Nov 16 10:00:00 2025
  binding state free;
  hardware ethernet 02:00:00:00:00:03;
}
server-duid "\\000\\001";
lease 10.77.1.2 {
  ends epoch 1763287200; # Sun Nov 16 10:00:00 2025
  binding state active;
  uid 01:02:00:00:00:00:02;
  hardware ethernet 02:00:00:00:00:02;
}
lease 10.77.1.9 {
  binding state active;
`;

test("ISC dhcpd: dates, epochs and no end; quoted octets; the last entry holds; half an entry counts for nothing", () => {
  assert.ok(isIsc(ISC));
  const leases = readIsc(ISC);
  assert.deepEqual(
    [...leases.values()],
    [
      {
        ip: "10.77.1.1",
        mac: "02:00:00:00:00:01",
        clientId: "0102000000225c",
        hostname: "desk; {one}",
        expires: 1_763_287_200,
        isActive: true,
      },
      {
        ip: "10.77.1.2",
        mac: "02:00:00:00:00:02",
        clientId: "01:02:00:00:00:00:02",
        hostname: undefined,
        expires: 1_763_287_200,
        isActive: true,
      },
      {
        ip: "10.77.1.3",
        mac: "02:00:00:00:00:03",
        clientId: undefined,
        hostname: undefined,
        expires: 1_763_287_200,
        isActive: false,
      },
    ],
  );
});

test("each format is told from the others", () => {
  const kinds = [KEA, DNSMASQ, ISC, "", "lease\n", "a,b\n"].map((text) => [
    isKea(text),
    isDnsmasq(text),
    isIsc(text),
  ]);
  assert.deepEqual(kinds, [
    [true, false, false],
    [false, true, false],
    [false, false, true],
    [false, false, false],
    [false, false, false],
    [false, false, false],
  ]);
});
