import assert from "node:assert/strict";
import { test } from "node:test";
import { LabClients } from "../../engine/test/lab-clients.ts";
import { managerDesk } from "./manager-desk.ts";

test("the map of a subnet: what is held, reserved and in pools, as a whole and by address", async (t) => {
  const desk = await managerDesk(t);
  const admin = await desk.signedIn();
  const clients = await LabClients.open(desk.dhcp);
  t.after(() => clients.close());
  assert.ok(await clients.join("02:00:00:00:00:0a"));
  const [{ ip }] = (await admin("GET", "leases?state=active")).json.items;
  const map = async (query: string) => (await admin("GET", `address-map?subnet=10.77.0.0/16${query}`)).json;

  const whole = await map("");
  assert.deepEqual(
    [whole.first, whole.last, whole.step, whole.cells.length],
    ["10.77.0.0", "10.77.255.255", 256, 256],
  );
  assert.deepEqual(whole.cells[0], { first: "10.77.0.0", held: 0, declined: 0, reserved: 1, pooled: 0 });
  assert.deepEqual(whole.cells[1], { first: "10.77.1.0", held: 1, declined: 0, reserved: 0, pooled: 250 });

  const near = await map(`&from=${ip}`);
  assert.deepEqual([near.first, near.last, near.step], ["10.77.1.0", "10.77.1.255", 1]);
  assert.deepEqual(
    near.cells.filter(({ held }: { held: number }) => held > 0).map(({ first }: { first: string }) => first),
    [ip],
  );
  assert.equal(near.cells.filter(({ pooled }: { pooled: number }) => pooled > 0).length, 250);

  const { text, headers } = await admin("GET", "config");
  const body = text.replace("10.77.0.0/16", "10.77.0.0/016");
  const put = await admin("PUT", "config", { body, headers: { "if-match": String(headers.etag) } });
  assert.equal(put.status, 200, put.text);
  assert.deepEqual((await map("")).cells, whole.cells, "however the network is written in the file");
  const other = (await admin("GET", "address-map?subnet=10.77.0.0/016")).json;
  assert.deepEqual(other.cells, whole.cells);

  assert.equal((await map("&from=10.78.0.1")).code, "no_subnet");
  assert.equal((await admin("GET", "address-map?subnet=10.99.0.0/16")).json.code, "no_subnet");
});
