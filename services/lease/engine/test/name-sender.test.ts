import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Outcome } from "../src/ddns/name-updates.ts";
import type { NameResult } from "../src/leases/dns-name.ts";
import { type Asked, ddnsOf, nameDesk } from "./name-desk.ts";

const DONE: Outcome = { kind: "done" };
const SILENT: Outcome = { kind: "later", error: "the server does not answer", isSilent: true };
const SERVFAIL: Outcome = { kind: "later", error: "SERVFAIL", isSilent: false };
const REFUSED: Outcome = { kind: "parked", error: "REFUSED" };
const HOUR_MS = 3_600_000;
/** What follows from an answer comes within a few turns of the event loop. */
async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; !isSo(); turns++) {
    assert.ok(turns < 1000, "it does not come");
    await turn();
  }
}
const whats = (asked: readonly Asked[]) => asked.map(({ what }) => what);
const many = (count: number, domain = "a.example") =>
  Array.from({ length: count }, (_, n) => ({
    at: `10.0.${n >> 8}.${n & 255}`,
    hostname: `n${n}.${domain}`,
  }));

test("two thousand new names are brought in the order of their intents, and no faster than the cap", async (t) => {
  const { lease, bring, asked, rows, time } = nameDesk(
    t,
    ddnsOf({ forward: 1053, reverse: 1053, more: "max_updates_per_second = 1000" }),
  );
  lease(...many(2000));
  await bring();
  assert.deepEqual(
    whats(asked).filter((what) => !what.includes("reverse")),
    Array.from({ length: 2000 }, (_, n) => `add n${n}.a.example`),
  );
  assert.equal(asked.length, 4000);
  assert.ok(rows().every(({ state }) => state === "kept"));
  assert.equal(Math.round(time()), 4000, "a thousand a second");
});

test("a name that changes: what is kept goes first, and the way back follows", async (t) => {
  const { lease, bring, asked, row } = nameDesk(t, ddnsOf({ reverse: 1053 }));
  lease({ at: "10.0.0.1", hostname: "old" });
  await bring();
  asked.length = 0;
  lease({ at: "10.0.0.1", hostname: "new" });
  await bring();
  assert.deepEqual(whats(asked), [
    "remove old.a.example",
    "add new.a.example",
    "remove reverse old.a.example",
    "add reverse new.a.example",
  ]);
  assert.deepEqual([row("10.0.0.1")?.state, row("10.0.0.1")?.kept], ["kept", "new.a.example"]);
});

test("what was removed and could not be replaced is known to be gone", async (t) => {
  const { lease, bring, answers, row, rows } = nameDesk(t);
  lease({ at: "10.0.0.1", hostname: "old" });
  await bring();
  answers(({ what }) => (what.startsWith("add ") ? REFUSED : DONE));
  lease({ at: "10.0.0.1", hostname: "new" });
  await bring();
  const { state, error, kept } = row("10.0.0.1") ?? assert.fail();
  assert.deepEqual([state, error, kept], ["refused", "REFUSED", null]);
  assert.equal(rows().length, 1, "the way back is gone too");
});

test("a server that does not answer is left alone, ever longer, up to ten minutes", async (t) => {
  const { lease, run, answers, asked, rows, row } = nameDesk(t);
  answers(() => SILENT);
  lease(...many(5));
  await run(2 * HOUR_MS);
  const times = asked.map(({ at }) => at);
  const pauses = times.slice(1).map((at, n) => Math.round((at - (times[n] ?? 0)) / 1000));
  assert.deepEqual(pauses.slice(0, 12), [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]);
  assert.ok(rows().every(({ state }) => state === "pending"));
  assert.equal(row("10.0.0.0")?.error, "the server does not answer");
});

test("names of a server that is away hold up nobody else's; they come when it is back", async (t) => {
  const zone = `[[ddns.zone]]\nname = "b.example"\nserver = "127.0.0.1:3053"\n`;
  const { lease, run, answers, asked, row, rows } = nameDesk(t, ddnsOf().replace("[[ddns", `${zone}[[ddns`));
  answers(({ port }) => (port === 3053 ? SILENT : DONE));
  lease(...many(400, "b.example"));
  lease({ at: "10.1.0.1", hostname: "anna" });
  await run(1000);
  assert.equal(row("10.1.0.1")?.state, "kept");
  assert.ok(asked.filter(({ port }) => port === 3053).length <= 2);
  answers(() => DONE);
  await run(60_000);
  assert.ok(rows().every(({ state }) => state === "kept"));
});

test("while the server of the reverse zone is away, every name is brought, once", async (t) => {
  const { lease, run, answers, asked, rows } = nameDesk(t);
  answers(({ port }) => (port === 2053 ? SILENT : DONE));
  lease(...many(70));
  await run(HOUR_MS);
  const forward = asked.filter(({ port }) => port === 1053);
  assert.deepEqual([forward.length, new Set(whats(forward)).size], [70, 70]);
  assert.ok(asked.length - forward.length < 16, "1, 2, 4 … 600 seconds");
  answers(() => DONE);
  await run(HOUR_MS);
  assert.ok(rows().every(({ state }) => state === "kept"));
});

test("a zone that fails rests; the others of its server go on", async (t) => {
  const { lease, run, answers, asked, rows, row } = nameDesk(t, ddnsOf({ reverse: 1053 }));
  answers(({ what }) => (what.includes("reverse") ? SERVFAIL : DONE));
  lease(...many(20));
  await run(60_000);
  const states = (side: string) => new Set(rows().flatMap((each) => (each.side === side ? each.state : [])));
  assert.deepEqual([...states("forward")], ["kept"]);
  assert.deepEqual([...states("reverse")], ["pending"]);
  assert.equal(row("10.0.0.0", "reverse")?.error, "SERVFAIL");
  assert.ok(asked.filter(({ what }) => what.includes("reverse")).length < 8);
  answers(() => DONE);
  await run(HOUR_MS);
  assert.deepEqual([...states("reverse")], ["kept"]);
});

test("one name that always fails, or whose update throws, keeps no other from DNS, and is tried ever more rarely", async (t) => {
  for (const fail of [
    () => SERVFAIL,
    () => {
      throw new Error("not expected");
    },
  ]) {
    const { lease, run, answers, asked, rows, row } = nameDesk(t);
    answers(({ what }) => (what === "add n0.a.example" ? fail() : DONE));
    lease(...many(100));
    await run(10_000);
    assert.equal(rows().filter(({ side, state }) => side === "forward" && state === "kept").length, 99);
    assert.match(row("10.0.0.0")?.error ?? "", /SERVFAIL|not expected/);
    // Others come all the time.
    for (let n = 0; n < 40; n++) {
      lease({ at: `10.1.0.${n}`, hostname: `late${n}` });
      await run(30_000);
      assert.equal(row(`10.1.0.${n}`)?.state, "kept");
    }
    assert.ok(asked.filter(({ what }) => what === "add n0.a.example").length < 14);
  }
});

test("a device that is renamed gets its new name although the reverse server is silent or refuses", async (t) => {
  for (const outcome of [SILENT, REFUSED, SERVFAIL]) {
    const { lease, bring, run, answers, asked, row } = nameDesk(t);
    lease({ at: "10.0.0.1", hostname: "old" });
    await bring();
    asked.length = 0;
    answers(({ port }) => (port === 2053 ? outcome : DONE));
    lease({ at: "10.0.0.1", hostname: "new" });
    await run(50_000);
    const forward = asked.filter(({ port }) => port === 1053);
    assert.deepEqual(whats(forward), ["remove old.a.example", "add new.a.example"]);
    assert.deepEqual([row("10.0.0.1")?.state, row("10.0.0.1")?.kept], ["kept", "new.a.example"]);
  }
});

test("by suffix: the name that was found stays while the way back is tried again", async (t) => {
  const { lease, run, answers, asked, row, use } = nameDesk(t, ddnsOf({ more: 'collision = "suffix"' }));
  answers(({ what, port }) =>
    port === 2053 ? SERVFAIL : what === "add twin.a.example" ? { kind: "conflict" } : DONE,
  );
  lease({ at: "10.0.0.1", hostname: "twin" });
  await run(60_000);
  const forward = () => whats(asked.filter(({ port }) => port === 1053));
  assert.deepEqual(forward(), ["add twin.a.example", "add twin-2.a.example"]);
  assert.equal(row("10.0.0.1")?.kept, "twin-2.a.example");
  asked.length = 0;
  use(ddnsOf({ more: 'collision = "suffix"\nttl = 60' }));
  await run(1000);
  assert.deepEqual(forward(), ["add twin-2.a.example"], "also when it is brought again");
});

test("by suffix: a name whose answer was lost is removed when its lease has ended", async (t) => {
  const { lease, run, end, answers, asked } = nameDesk(t, ddnsOf({ more: 'collision = "suffix"' }));
  const lost = { kind: "later", error: "the server does not answer", isSilent: true } as const;
  answers(({ what }) =>
    what === "add twin.a.example" ? { kind: "conflict" } : what === "add twin-2.a.example" ? lost : DONE,
  );
  lease({ at: "10.0.0.1", hostname: "twin" });
  await run(500);
  asked.length = 0;
  answers(() => DONE);
  end("10.0.0.1");
  await run(60_000);
  assert.deepEqual(whats(asked), ["remove twin-2.a.example"]);
});

test("by suffix: a name whose answer was lost after an earlier try had failed is removed when its lease has ended", async (t) => {
  for (const lost of [
    () => SILENT,
    () => SERVFAIL,
    () => {
      throw new Error("not expected");
    },
  ]) {
    const { lease, run, end, answers, asked, row } = nameDesk(t, ddnsOf({ more: 'collision = "suffix"' }));
    answers(() => SERVFAIL);
    lease({ at: "10.0.0.1", hostname: "twin" });
    await run(500);
    assert.equal(row("10.0.0.1")?.kept, "twin.a.example", "it may be there");
    answers(({ what }) => (what === "add twin.a.example" ? { kind: "conflict" } : lost()));
    await run(1500);
    assert.equal(row("10.0.0.1")?.kept, "twin-2.a.example");
    asked.length = 0;
    answers(() => DONE);
    end("10.0.0.1");
    await run(60_000);
    assert.deepEqual(whats(asked), ["remove twin-2.a.example"]);
  }
});

test("by suffix: a device that then calls itself by that very name, or by the one without, gets it", async (t) => {
  const { lease, bring, row } = nameDesk(t, ddnsOf({ more: 'collision = "suffix"' }));
  lease({ at: "10.0.0.1", hostname: "twin-2" });
  await bring();
  lease({ at: "10.0.0.1", hostname: "twin" });
  await bring();
  assert.equal(row("10.0.0.1")?.kept, "twin.a.example");
});

test("what waits is tried at once after a restart, and a name that was sent is known although nothing more was heard", async (t) => {
  const { lease, end, senderWith, asked, answers, row, rows } = nameDesk(t);
  answers(() => SILENT);
  lease({ at: "10.0.0.1", hostname: "anna" });
  await senderWith().round();
  assert.equal(row("10.0.0.1")?.kept, "anna.a.example", "it may be there");
  answers(() => DONE);
  end("10.0.0.1");
  asked.length = 0;
  await senderWith().round();
  assert.deepEqual(whats(asked), ["remove anna.a.example"]);
  assert.deepEqual(rows(), []);
});

test("a kill between the update and its note on disk: a lease that ends meanwhile still takes its name along", async (t) => {
  const { lease, end, senderWith, commit, asked, rows } = nameDesk(t);
  lease({ at: "10.0.0.1", hostname: "anna" });
  const killed = senderWith({
    settle: async (results: readonly NameResult[]) => {
      if (results.some(({ state }) => state !== "sending")) throw new Error("killed");
      commit({ names: results });
      return true;
    },
  });
  await assert.rejects(killed.round(), /killed/);
  end("10.0.0.1");
  asked.length = 0;
  await senderWith().round();
  assert.deepEqual(whats(asked), ["remove anna.a.example"]);
  assert.deepEqual(rows(), []);
});

test("a kill between a removal and its note on disk: the device that is back gets its name again", async (t) => {
  const { lease, end, bring, use, senderWith, commit, asked, row } = nameDesk(t);
  const cam = { at: "10.0.0.1", hostname: "cam" };
  lease(cam);
  await bring();
  end("10.0.0.1");
  const killed = senderWith({
    settle: async (results: readonly NameResult[]) => {
      if (results.some(({ state }) => state !== "sending")) throw new Error("killed");
      commit({ names: results });
      return true;
    },
  });
  asked.length = 0;
  // The server of each side is sent its removal.
  await assert.rejects(killed.round(), /killed/);
  await assert.rejects(killed.round(), /killed/);
  assert.ok(whats(asked).includes("remove cam.a.example"));
  assert.ok(whats(asked).includes("remove reverse cam.a.example"));
  asked.length = 0;
  lease(cam);
  use(ddnsOf());
  await bring();
  assert.equal(whats(asked).at(0), "add cam.a.example");
  assert.equal(whats(asked).at(-1), "add reverse cam.a.example");
  assert.deepEqual([row("10.0.0.1")?.state, row("10.0.0.1", "reverse")?.state], ["kept", "kept"]);
});

test("a device that is back just before its removal is sent gets its name again although the engine is killed then", async (t) => {
  const { lease, end, bring, senderWith, commit, asked, row } = nameDesk(t, ddnsOf({ reverse: 1053 }));
  const cam = { at: "10.0.0.1", hostname: "cam" };
  lease(cam);
  await bring();
  end("10.0.0.1");
  const killed = senderWith({
    settle: async (results: readonly NameResult[]) => {
      if (results.some(({ state }) => state !== "sending")) throw new Error("killed");
      lease(cam);
      commit({ names: results });
      return true;
    },
  });
  asked.length = 0;
  await assert.rejects(killed.round(), /killed/);
  assert.equal(whats(asked)[0], "remove cam.a.example");
  asked.length = 0;
  await bring();
  assert.ok(whats(asked).includes("add cam.a.example"));
  assert.equal(row("10.0.0.1")?.state, "kept");
});

test("nothing is sent that could not be written down before", async (t) => {
  const { lease, senderWith, asked } = nameDesk(t);
  lease({ at: "10.0.0.1", hostname: "anna" });
  await senderWith({ settle: async () => false }).round();
  assert.deepEqual(asked, []);
});

test("a lease that ends, or is given to another, while its name is on its way: what was sent is taken back", async (t) => {
  for (const then of ["end", "rename"] as const) {
    const { lease, end, bring, asked, answers, rows } = nameDesk(t);
    lease({ at: "10.0.0.1", hostname: "anna" });
    answers(({ what }) => {
      if (what !== "add anna.a.example") return DONE;
      if (then === "end") end("10.0.0.1");
      else lease({ at: "10.0.0.1", hostname: "bert", mac: Uint8Array.of(2, 0, 0, 0, 0, 7) });
      return DONE;
    });
    await bring();
    await bring();
    const after = whats(asked).filter((what) => !what.includes("reverse"));
    const added = then === "end" ? [] : ["add bert.a.example"];
    assert.deepEqual(after, ["add anna.a.example", "remove anna.a.example", ...added]);
    assert.equal(rows().length, then === "end" ? 0 : 2);
  }
});

test("a name that becomes free goes to who waits for it, in their order; a conflict alone tries nothing", async (t) => {
  const { lease, end, bring, run, asked, answers, row } = nameDesk(t);
  let owner = "10.0.0.1";
  lease({ at: "10.0.0.1", hostname: "desk" });
  await bring();
  answers(({ what }) => (what === "add desk.a.example" && owner !== "" ? { kind: "conflict" } : DONE));
  lease({ at: "10.0.0.2", hostname: "desk" });
  lease({ at: "10.0.0.3", hostname: "desk" });
  await bring();
  assert.deepEqual(
    ["10.0.0.2", "10.0.0.3"].map((at) => row(at)?.state),
    ["conflict", "conflict"],
  );
  asked.length = 0;
  await run(HOUR_MS);
  assert.deepEqual(asked, []);
  owner = "";
  answers(({ what }) => {
    const isTaken = what === "add desk.a.example" && owner !== "";
    if (what === "add desk.a.example") owner ||= "10.0.0.2";
    return isTaken ? { kind: "conflict" } : DONE;
  });
  end("10.0.0.1");
  await bring();
  assert.deepEqual(
    ["10.0.0.2", "10.0.0.3"].map((at) => row(at)?.state),
    ["kept", "conflict"],
  );
});

/** A zone that has each name once, whoever brings it first. */
const oneOfEach = () => {
  const taken = new Set<string>();
  return ({ what }: Asked): Outcome => {
    const [verb, name = "", reverse] = what.split(" ");
    if (reverse !== undefined) return DONE;
    if (verb === "remove") taken.delete(name);
    else if (taken.has(name)) return { kind: "conflict" };
    else taken.add(name);
    return DONE;
  };
};
const phones = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ at: `10.0.0.${n + 10}`, hostname: "phone" }));
const adds = (asked: readonly Asked[], name: string) => whats(asked).filter((what) => what === `add ${name}`);

test("of many who wait for a name that becomes free, one tries it; when that one leaves, the next", async (t) => {
  const { lease, end, bring, asked, answers, row } = nameDesk(t);
  answers(oneOfEach());
  lease(...phones(40));
  await bring();
  for (const n of [10, 11, 12]) {
    assert.equal(row(`10.0.0.${n}`)?.state, "kept");
    asked.length = 0;
    end(`10.0.0.${n}`);
    await bring();
    assert.equal(adds(asked, "phone.a.example").length, 1);
  }
  assert.equal(row("10.0.0.13")?.state, "kept");
});

test("a name that is free goes to the next who waits when the first ends, or gets another name, before it has tried", async (t) => {
  const { lease, end, bring, senderWith, commit, answers, row } = nameDesk(t);
  answers(oneOfEach());
  lease(...phones(5));
  await bring();
  /** Removes the name, and stops before the next step. */
  const remove = async (at: string) => {
    end(at);
    await senderWith({
      settle: async (results) => {
        commit({ names: results });
        return results.every(({ state }) => state !== "removed");
      },
    }).round();
  };
  await remove("10.0.0.10");
  assert.equal(row("10.0.0.11")?.state, "pending");
  end("10.0.0.11");
  assert.equal(row("10.0.0.12")?.state, "pending");
  lease({ at: "10.0.0.12", hostname: "other" });
  await bring();
  assert.deepEqual(
    [12, 13, 14].map((n) => [row(`10.0.0.${n}`)?.wanted, row(`10.0.0.${n}`)?.state]),
    [
      ["other.a.example", "kept"],
      ["phone.a.example", "kept"],
      ["phone.a.example", "conflict"],
    ],
  );
});

test("a device that waits for a name in both families gets it in both", async (t) => {
  const { lease, lease6, end, bring, answers, row } = nameDesk(t);
  answers(oneOfEach());
  const mac = Uint8Array.of(2, 0, 0, 0, 0, 8);
  const duid = Uint8Array.of(0, 3, 0, 1, ...mac);
  lease({ at: "10.0.0.1", hostname: "door" });
  await bring();
  lease({ at: "10.0.0.2", hostname: "door", mac });
  lease6({ address: 0xfd770000000000000000000000000008n, duid, mac, hostname: "door" });
  await bring();
  assert.deepEqual([row("10.0.0.2")?.state, row("fd77::8")?.state], ["conflict", "conflict"]);
  answers(() => DONE);
  end("10.0.0.1");
  await bring();
  assert.deepEqual([row("10.0.0.2")?.state, row("fd77::8")?.state], ["kept", "kept"]);
});

test("a new name does not wait behind those in conflict that are tried again with a configuration", async (t) => {
  const { lease, bring, use, asked, answers } = nameDesk(t);
  answers(oneOfEach());
  lease(...phones(40));
  await bring();
  use(ddnsOf());
  lease({ at: "10.1.0.1", hostname: "printer" });
  asked.length = 0;
  await bring();
  assert.equal(whats(asked)[0], "add printer.a.example");
  assert.equal(adds(asked, "phone.a.example").length, 39);
});

test("a name with a suffix that was sent just before a kill is removed when its lease has ended meanwhile", async (t) => {
  const { senderWith, lease, end, answers, asked, row, rows } = nameDesk(
    t,
    ddnsOf({ more: 'collision = "suffix"' }),
  );
  const sent = Promise.withResolvers<void>();
  answers(({ what }) => {
    if (what === "add anna.a.example") return { kind: "conflict" };
    sent.resolve();
    // The engine is killed before the answer comes.
    return new Promise(() => {});
  });
  lease({ at: "10.0.0.1", hostname: "anna" });
  void senderWith().round();
  await sent.promise;
  assert.equal(row("10.0.0.1")?.kept, "anna-2.a.example", "written down before it was sent");
  end("10.0.0.1");
  answers(() => ({ kind: "done" }));
  asked.length = 0;
  const next = senderWith();
  while ((await next.round()) > 0);
  assert.deepEqual(
    asked.map(({ what }) => what),
    ["remove anna-2.a.example"],
  );
  assert.deepEqual(rows(), []);
});

test("what the server refused, or another had, by the configuration before is tried again by the one that came meanwhile", async (t) => {
  const { lease, sender, bring, use, answers, row } = nameDesk(t);
  const held: Array<(outcome: Outcome) => void> = [];
  answers(() => new Promise<Outcome>((answer) => held.push(answer)));
  lease({ at: "10.0.0.1", hostname: "anna" }, { at: "10.0.0.2", hostname: "bob" });
  const round = sender.round();
  await until(() => held.length === 1);
  use(ddnsOf({ more: 'collision = "suffix"' }));
  held[0]?.(REFUSED);
  await until(() => held.length === 2);
  answers(({ what }) => (what === "add bob.a.example" ? { kind: "conflict" } : DONE));
  held[1]?.({ kind: "conflict" });
  await round;
  await bring();
  assert.deepEqual(
    ["10.0.0.1", "10.0.0.2"].map((at) => row(at)?.kept),
    ["anna.a.example", "bob-2.a.example"],
  );
});

test("a name is not brought to the new server of its zone while the answer of the old one is awaited, which would be taken for the newer", async (t) => {
  const { lease, sender, bring, use, answers, asked, row, end, rows } = nameDesk(t);
  const held: Array<(outcome: Outcome) => void> = [];
  answers(() => new Promise<Outcome>((answer) => held.push(answer)));
  lease({ at: "10.0.0.1", hostname: "anna" });
  const round = sender.round();
  await until(() => held.length === 1);
  answers(() => DONE);
  use(ddnsOf({ forward: 3053 }));
  lease({ at: "10.0.0.2", hostname: "bob" });
  await bring();
  assert.deepEqual(
    asked.map(({ what, port }) => `${what} ${port}`),
    ["add anna.a.example 1053", "add bob.a.example 3053", "add reverse bob.a.example 2053"],
  );
  held[0]?.({ kind: "conflict" });
  await round;
  await bring();
  assert.deepEqual([row("10.0.0.1")?.state, row("10.0.0.1")?.kept], ["kept", "anna.a.example"]);
  for (const at of ["10.0.0.1", "10.0.0.2"]) end(at);
  await bring();
  assert.deepEqual(rows(), []);
});
