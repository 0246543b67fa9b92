import assert from "node:assert/strict";
import { test } from "node:test";
import { CODE } from "@frontdesk/lease-options/option-table";
import { desk, ip } from "./desk.ts";

const REST = `[lease]\ndefault_time = 3600\nmax_time = 4294967295\nmin_time = 60\noffer_time = 10\n[[subnet]]\nnetwork = "10.77.0.0/16"\n[[subnet.pool]]\nrange = "10.77.1.1 - 10.77.1.2"\n`;
const client = (n: number) => `02:00:00:00:01:0${n}`;
const lasting = (seconds: number): Array<[number, number]> => [[CODE.leaseTime, seconds]];

test("a released address that still rests is not given while another's rest is over", () => {
  for (const seconds of [86_400, 0xffffffff]) {
    const { join, release, pass, discover, store, clock } = desk(REST);
    const long = join(client(1), { options: lasting(seconds) }) ?? "";
    const short = join(client(2), { options: lasting(60) }) ?? "";
    release(long, { mac: client(1) });
    release(short, { mac: client(2) });
    pass(120);
    assert.equal(discover({ mac: client(3) })?.ip, short);
    assert.equal(desk(REST, store, clock).discover({ mac: client(3) })?.ip, short, "after a restart");
  }
});

test("an address that was released by hand does not rest", () => {
  const { join, release, engine, dhcp4, discover, pass } = desk(REST);
  const [resting, freed] = [join(client(1)) ?? "", join(client(2)) ?? ""];
  release(resting, { mac: client(1) });
  pass(1);
  engine.run((batch) => dhcp4.release(ip(freed), batch));
  assert.equal(discover({ mac: client(3) })?.ip, freed);
});

test("an offer that nobody takes leaves its address the one that was free the longest", () => {
  const { join, pass, discover, store, clock } = desk(REST);
  const first = join(client(1), { options: lasting(60) });
  pass(5);
  join(client(2), { options: lasting(60) });
  pass(200);
  assert.equal(discover({ mac: client(3) })?.ip, first);
  pass(30);
  assert.equal(discover({ mac: client(4) })?.ip, first);
  pass(30);
  assert.equal(desk(REST, store, clock).discover({ mac: client(5) })?.ip, first, "after a restart");
});
