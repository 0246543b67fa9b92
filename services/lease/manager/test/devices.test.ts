import assert from "node:assert/strict";
import { test } from "node:test";
import { u32Bytes } from "@frontdesk/lease-options/address";
import { CODE, TYPE } from "@frontdesk/lease-options/option-table";
import { LabClients } from "../../engine/test/lab-clients.ts";
import { managerDesk } from "./manager-desk.ts";

test("one device: all that it is known by, all that it held, on one timeline", async (t) => {
  const desk = await managerDesk(t);
  const admin = await desk.signedIn();
  const clients = await LabClients.open(desk.dhcp);
  t.after(() => clients.close());
  const [MONDAY, TUESDAY, OTHER] = ["02:00:00:00:01:01", "02:00:00:00:01:02", "02:00:00:00:09:09"];
  const clientId = Uint8Array.of(0xff, 1, 2, 3, 4, 0, 3, 0, 1, 7);
  const join = async (mac: string, more: Array<[number, Uint8Array]> = []) => {
    const offer = await clients.ask(TYPE.discover, mac, more);
    const took: Array<[number, Uint8Array]> = [
      ...more,
      [CODE.requestedAddress, u32Bytes(offer?.ip ?? 0)],
      [CODE.serverIdentifier, u32Bytes(0x7f000001)],
    ];
    assert.equal((await clients.ask(TYPE.request, mac, took))?.type, TYPE.ack);
  };
  const identified: Array<[number, Uint8Array]> = [[CODE.clientIdentifier, clientId]];
  // A hardware address of its own each day, and the same client identifier.
  await join(MONDAY, identified);
  await join(TUESDAY, identified);
  await join(OTHER);

  await t.test("found by its newest hardware address and by its client identifier", async () => {
    const [lease] = (await admin("GET", `leases?q=${TUESDAY}`)).json.items;
    const byMac = (await admin("GET", `devices/${TUESDAY}`)).json;
    assert.deepEqual(byMac.leases, [lease]);
    assert.deepEqual(byMac.client_ids, [lease.client_id]);
    assert.deepEqual(byMac.duids, [lease.duid]);
    const byId = (await admin("GET", `devices/${lease.client_id}`)).json;
    assert.deepEqual(byId.macs.toSorted(), [MONDAY, TUESDAY]);
    assert.deepEqual(byId.items, byMac.items);
    const seen = byMac.items.map(({ mac }: { mac: string }) => mac);
    assert.deepEqual(new Set(seen), new Set([TUESDAY, MONDAY]), "also what happened under the earlier one");
  });

  await t.test(
    "hardware addresses of one reservation are one device; their events are one timeline",
    async () => {
      const body = { ip: "10.77.0.70", mac: [MONDAY, TUESDAY, OTHER] };
      assert.equal((await admin("POST", "reservations", { body })).status, 201);
      await join(OTHER);
      const device = (await admin("GET", `devices/${MONDAY}`)).json;
      assert.deepEqual(device.macs.toSorted(), [MONDAY, TUESDAY, OTHER].toSorted());
      assert.deepEqual(device.reservations, [{ ip: "10.77.0.70", subnet: "10.77.0.0/16" }]);
      assert.ok(device.leases.some(({ ip }: { ip: string }) => ip === "10.77.0.70"));
      const numbers = device.items.map(({ id }: { id: number }) => id);
      assert.deepEqual(
        numbers,
        numbers.toSorted((a: number, b: number) => b - a),
      );
      assert.equal(new Set(device.items.map(({ mac }: { mac: string }) => mac)).size, 3);

      const first = (await admin("GET", `devices/${MONDAY}?limit=2`)).json;
      const second = (await admin("GET", `devices/${MONDAY}?limit=1000&cursor=${first.next_cursor}`)).json;
      assert.deepEqual([...first.items, ...second.items], device.items, "page by page the same");
      assert.equal(second.next_cursor, null);
    },
  );

  await t.test("also where its client identifier is as long as there can be", async () => {
    const mac = "02:00:00:00:03:03";
    await join(mac, [[CODE.clientIdentifier, new Uint8Array(255).fill(7)]]);
    const device = (await admin("GET", `devices/${mac}`)).json;
    assert.equal(device.leases.length, 1);
    const byId = (await admin("GET", `devices/${device.client_ids[0]}`)).json;
    assert.deepEqual(byId.leases, device.leases);
  });

  await t.test("what nobody has heard of is not found; what is no identity is refused", async () => {
    assert.equal((await admin("GET", "devices/02:00:00:00:77:77")).status, 404);
    assert.equal((await admin("GET", "devices/nonsense")).json.code, "bad_device");
  });
});
