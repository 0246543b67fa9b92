import assert from "node:assert/strict";
import { test } from "node:test";
import { DeviceNetwork } from "../src/loop/device-network.ts";
import type { DeviceSocket } from "../src/loop/device-socket.ts";
import { libc, newWakeUp, wakeUp } from "../src/loop/libc.ts";
import type { NetworkEvents } from "../src/loop/network.ts";

const skip = process.platform === "linux" ? false : "needs Linux";

test("a descriptor that is registered is waited for in the loop, until it is called off", {
  skip,
}, async () => {
  const [wake, first, second] = [newWakeUp(), newWakeUp(), newWakeUp()];
  const network = new DeviceNetwork({ devices: [], packet: -1, arp: -1, echo: undefined }, wake, () => {});
  const seen: string[] = [];
  const drain = (fd: number) => libc().read(fd, Buffer.alloc(8), 8);
  let callOffSecond = () => {};
  const callOffFirst = network.register({
    fd: first,
    ready: () => {
      drain(first);
      seen.push("first");
      if (seen.length === 1) {
        // Registered while the loop runs, ready at once.
        callOffSecond = network.register({ fd: second, ready: () => seen.push("second") });
        wakeUp(second);
        wakeUp(first);
      } else {
        // Both are ready, and the first calls off the second: nothing is drained, and it is not asked again.
        callOffSecond();
        callOffFirst();
        wakeUp(first);
        wakeUp(wake);
      }
    },
  });
  const events: NetworkEvents = {
    packets: () => {},
    answered: () => {},
    tick: () => {},
    called: () => {
      seen.push("called");
      network.stop();
    },
    patience: () => Number.POSITIVE_INFINITY,
    probing: () => false,
    needsIpv6: () => false,
    interfacesChanged: () => {},
  };
  wakeUp(first);
  await network.run(events);
  assert.deepEqual(seen, ["first", "first", "called"]);
  for (const fd of [wake, first, second]) libc().close(fd);
});

test("of the interfaces, those are asked for packets on which something has come", { skip }, async (t) => {
  const [wake, loud, quiet] = [newWakeUp(), newWakeUp(), newWakeUp()];
  const device = (name: string, udp: number): DeviceSocket => ({
    ...{ name, index: 0, hardware: new Uint8Array(6), udp, udp6: -1, servesV6: true },
    ...{ addresses: [], masks: [], addresses6: [], hasIpv6: false, hasCarrier: true },
  });
  const devices = [device("no-such-link-0", loud), device("no-such-link-1", quiet)];
  const network = new DeviceNetwork({ devices, packet: -1, arp: -1, echo: undefined }, wake, () => {});
  const asked = t.mock.method(libc(), "recvmmsg");
  wakeUp(loud);
  await network.run({
    packets: () => {},
    answered: () => {},
    tick: () => network.stop(),
    called: () => {},
    patience: () => 0,
    probing: () => false,
    needsIpv6: () => false,
    interfacesChanged: () => {},
  });
  assert.ok(asked.mock.callCount() > 0);
  assert.ok(asked.mock.calls.every(({ arguments: [fd] }) => fd === loud));
  libc().close(wake);
});
