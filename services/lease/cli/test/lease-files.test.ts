import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { readLeaseFile } from "../src/import-leases.ts";
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

test("Kea: what its cleanup moved to other files is read before the newest", (t) => {
  const folder = temporaryHome(t);
  const path = join(folder, "kea-leases4.csv");
  const [header = ""] = KEA.split("\n");
  const line = (host: number, lifetime = 3600) =>
    `10.77.1.${host},02:00:00:00:00:0${host},,${lifetime},1763287200,1,0,0,,0,,0`;
  const put = (end: string, ...lines: string[]) =>
    writeFileSync(path + end, [header, ...lines, ""].join("\n"));
  put(".2", line(1), line(2), line(3));
  put(".1", line(4), line(2, 0));
  put("", line(5), line(3, 0));
  const inForce = () =>
    [...readLeaseFile(path).leases.values()].filter(({ isActive }) => isActive).map(({ ip }) => ip.slice(-1));
  assert.deepEqual(inForce(), ["1", "4", "5"]);
  put(".completed", line(6));
  assert.deepEqual(inForce(), ["6", "4", "5"], "which is to be the next of the old ones");
});

const DNSMASQ = `1763287200 02:00:00:00:00:01 10.77.1.1 desk 01:02:00:00:00:00:01
0 02:00:00:00:00:02 10.77.1.2 * *
1763287200 06-02:00:00:00:00:00:00:03 10.77.1.3 * ff:00
duid 00:01:00:01:aa
1763287200 12345 fd77::1 host 00:01:00
0 T12346 fd77::2 * 00:01:00
`;

test("dnsmasq: leases of DHCPv6 follow the server's DUID; temporary addresses are not in force", () => {
  assert.ok(isDnsmasq("duid 00:01:00:01:aa\n"));
  const leases = readDnsmasq(DNSMASQ);
  assert.deepEqual(leases.get("fd77::1"), {
    ip: "fd77::1",
    mac: "",
    clientId: undefined,
    association: { duid: "00:01:00", iaid: 12345 },
    hostname: "host",
    expires: 1_763_287_200,
    isActive: true,
  });
  assert.equal(leases.get("fd77::2")?.isActive, false);
});

const KEA6 = `address,duid,valid_lifetime,expire,subnet_id,pref_lifetime,lease_type,iaid,prefix_len,fqdn_fwd,fqdn_rev,hostname,hwaddr,state,user_context,hwtype,hwaddr_source,pool_id
fd77::5,00:03:00:01:02:00:00:00:00:01,3600,1763287200,1,1800,0,4253373316,128,0,0,desk.,02:00:00:00:00:01,0,,1,2,0
fd77:1:0:100::,00:03:00:01:02:00:00:00:00:01,3600,1763287200,1,1800,2,7,56,0,0,,,0,,,,0
fd77::6,00:03:00:01:02:00:00:00:00:02,3600,1763287200,1,1800,1,1,128,0,0,,,0,,,,0
fd77::7,00,3600,1763287200,1,1800,0,1,128,0,0,,,1,,,,0
`;

test("Kea: addresses and prefixes of DHCPv6; temporary and declined ones are not in force", () => {
  assert.ok(isKea(KEA6));
  const leases = readKea(KEA6);
  assert.deepEqual(leases.get("fd77::5"), {
    ip: "fd77::5",
    mac: "02:00:00:00:00:01",
    clientId: undefined,
    association: { duid: "00:03:00:01:02:00:00:00:00:01", iaid: 4_253_373_316 },
    hostname: "desk",
    expires: 1_763_287_200,
    isActive: true,
  });
  assert.equal(leases.get("fd77:1:0:100::/56")?.association?.iaid, 7);
  assert.deepEqual([leases.get("fd77::6")?.isActive, leases.get("fd77::7")?.isActive], [false, false]);
});

const ISC6 = `authoring-byte-order little-endian;
server-duid "\\000\\001";

ia-na "\\204S\\205\\375\\000\\003\\000\\001\\002\\000\\000\\000\\000\\001" {
  cltt 0 2025/11/16 09:00:00;
  iaaddr fd77::2000 {
    binding state active;
    preferred-life 375;
    max-life 600;
    ends 0 2025/11/16 10:00:00;
  }
}

ia-pd 07:00:00:00:00:03:00:01:02:00:00:00:00:01 {
  cltt 0 2025/11/16 09:00:00;
  iaprefix fd77:1:0:ff00::/56 {
    binding state expired;
    ends 0 2025/11/16 10:00:00;
  }
}
ia-ta "\\204S\\205\\375\\000\\003\\000\\001\\002\\000\\000\\000\\000\\001" {
  iaaddr fd77::3000 {
    binding state active;
    ends never;
  }
}
`;

test("ISC dhcpd: an IAID is as the machine had it in memory; temporary addresses are left", () => {
  assert.ok(isIsc(ISC6));
  const leases = readIsc(ISC6);
  const nobody = { mac: "", clientId: undefined, hostname: undefined };
  const duid = "00030001020000000001";
  assert.deepEqual(
    [...leases.values()],
    [
      {
        ...nobody,
        ip: "fd77::2000",
        association: { duid, iaid: 0xfd855384 },
        expires: 1_763_287_200,
        isActive: true,
      },
      {
        ...nobody,
        ip: "fd77:1:0:ff00::/56",
        association: { duid, iaid: 7 },
        expires: 1_763_287_200,
        isActive: false,
      },
    ],
  );
  const big = readIsc(ISC6.replace("little", "big"));
  assert.equal(big.get("fd77::2000")?.association?.iaid, 0x845385fd);
});

test("dnsmasq: no name, no identifier and no end are told by * and 0", () => {
  assert.ok(isDnsmasq(DNSMASQ));
  const leases = readDnsmasq(DNSMASQ);
  assert.deepEqual([...leases.keys()], ["10.77.1.1", "10.77.1.2", "10.77.1.3", "fd77::1", "fd77::2"]);
  assert.deepEqual(
    [...leases.values()]
      .slice(0, 3)
      .map(({ mac, clientId, hostname, expires }) => [mac, clientId, hostname, expires]),
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
