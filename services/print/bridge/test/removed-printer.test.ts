import assert from "node:assert/strict";
import { test } from "node:test";
import { admitted, bridge, LABEL, type Speaker, simulator, until } from "./support.ts";

test("jobs of a printer that is removed end: those that wait fail, of one that was sent nobody can tell, and none is printed by the next of that name", async (t) => {
  const { printer, address } = await simulator(t);
  const b = await bridge(t, { env: { PRINT_LIMIT_WAITING: "3" } });
  const dock = { id: "dock", transport: "tcp", address } as const;
  b.addPrinter(dock);
  const page = await admitted(t, b.url, b.allow());
  const print = () => page.jobId("print.raw", { printer: "dock", data: LABEL });
  const stateOf = async (jobId: string) => (await page.ask("job.get", { jobId })).state;
  await until(
    "the printer is seen",
    async () => (await page.ask("printers.status", { printer: "dock" })).online,
  );
  printer.set("paused", true);
  const jobs = [await print(), await print(), await print()];
  await until("the first is held", async () => (await stateOf(jobs[0] as string)) === "Held");
  const wasSent = printer.situation.labelsRemaining > 0;

  const headers = { authorization: `Bearer ${b.adminToken}` };
  const removed = await fetch(`${b.http}/api/v1/admin/printers/dock`, { method: "DELETE", headers });
  assert.equal(removed.status, 204);
  const ended = await Promise.all(jobs.map((id) => page.ended(id)));
  assert.deepEqual(
    ended.map(({ state, error }) => [state, error?.code]),
    [
      [wasSent ? "Unknown" : "Failed", "PRINTER_UNBOUND"],
      ["Failed", "PRINTER_UNBOUND"],
      ["Failed", "PRINTER_UNBOUND"],
    ],
  );

  printer.cancel();
  printer.set("paused", false);
  b.addPrinter(dock);
  await until(
    "the printer is back",
    async () => (await page.ask("printers.status", { printer: "dock" })).online,
  );
  assert.equal((await page.ended(await print())).state, "Done");
  assert.equal(printer.labels.length, 1);
});

test("jobs whose printer was removed while the bridge was down end with its next start", async (t) => {
  const { printer, address } = await simulator(t);
  const first = await bridge(t);
  first.addPrinter({ id: "dock", transport: "tcp", address });
  const token = first.allow();
  const page = await admitted(t, first.url, token);
  await until(
    "the printer is seen",
    async () => (await page.ask("printers.status", { printer: "dock" })).online,
  );
  printer.set("paused", true);
  await until(
    "it is stopped",
    async () => (await page.ask("printers.status", { printer: "dock" })).state === "stopped",
  );
  const jobId = await page.jobId("print.raw", { printer: "dock", data: LABEL });
  await first.close();
  first.registry.printers.remove("dock");
  const second = await bridge(t, { home: first.home });
  const again = await admitted(t, second.url, token);
  const { state, error } = await again.ended(jobId);
  assert.deepEqual([state, error?.code], ["Failed", "PRINTER_UNBOUND"]);
});

for (const how of ["beside the bridge", "while the bridge is down"])
  test(`jobs of a printer that is removed, and added anew for another device ${how}, end and are not printed there`, async (t) => {
    const [gone, next] = [await simulator(t), await simulator(t)];
    const first = await bridge(t);
    const dock = { id: "dock", transport: "tcp", address: gone.address } as const;
    first.addPrinter(dock);
    const token = first.allow();
    const page = await admitted(t, first.url, token);
    const stateOf = async (to: Speaker) => (await to.ask("printers.status", { printer: "dock" })).state;
    await until("the printer is seen", async () => (await stateOf(page)) === "ready");
    gone.printer.set("paused", true);
    await until("it is stopped", async () => (await stateOf(page)) === "stopped");
    const jobId = await page.jobId("print.raw", { printer: "dock", data: LABEL });
    const isDown = how !== "beside the bridge";
    if (isDown) await first.close();
    first.registry.printers.remove("dock");
    first.addPrinter({ ...dock, address: next.address });
    const second = isDown ? await bridge(t, { home: first.home }) : first;
    const again = isDown ? await admitted(t, second.url, token) : page;
    const { state, error } = await again.ended(jobId);
    assert.deepEqual([state, error?.code], ["Failed", "PRINTER_UNBOUND"]);
    const another = await again.jobId("print.raw", { printer: "dock", data: LABEL });
    assert.equal((await again.ended(another)).state, "Done");
    assert.equal(next.printer.labels.length, 1);
    // Another address alone is the same printer: its jobs go on there.
    next.printer.set("paused", true);
    await until("the next is stopped", async () => (await stateOf(again)) === "stopped");
    const moved = await again.jobId("print.raw", { printer: "dock", data: LABEL });
    gone.printer.set("paused", false);
    second.addPrinter(dock);
    assert.equal((await again.ended(moved)).state, "Done");
    assert.equal(gone.printer.labels.length, 1);
  });
