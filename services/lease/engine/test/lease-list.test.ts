import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryHome } from "@frontdesk/testkit/temporary-home";
import { listLeases } from "../src/control/lease-list.ts";
import { EMPTY_RECORD6 } from "../src/dhcp6/lease-details.ts";
import { STATE } from "../src/leases/binding.ts";
import { History } from "../src/store/history.ts";
import { SqliteStore } from "../src/store/sqlite-store.ts";
import { configOf } from "./desk.ts";
import { ip6, octets } from "./desk6.ts";

/** More than SQLite takes as one condition after the other. */
const MANY = 1200;
const hex = (n: number) => n.toString(16).padStart(4, "0");
const each = (text: (n: number) => string) => Array.from({ length: MANY }, (_, n) => text(n)).join("");
const TOML = `[[subnet]]
network = "fd77::/64"
${each((n) => `[[subnet.prefix_pool]]\nprefix = "fd78:${hex(n)}::/48"\ndelegated_length = 56\n`)}
${each(
  (n) => `[[subnet.reservation]]
prefix = "fd79:0:0:${hex(n)}::/64"
duid = "00:03:00:01:02:00:00:00:${hex(n).slice(0, 2)}:${hex(n).slice(2)}"
`,
)}`;

test("the leases of a subnet with very many prefix pools and reserved prefixes are listed, page by page", (t) => {
  const path = join(temporaryHome(t), "leases.db");
  const store = new SqliteStore(path);
  const leases = ["fd77::5/128", "fd78:400::/56", "fd78:4af:0:100::/56", "fd79:0:0:3::/64", "fd7a::/64"];
  const writes6 = leases.map((text) => {
    const [address = "", length] = text.split("/");
    const lease = { ...EMPTY_RECORD6, address: ip6(address), length: Number(length), state: STATE.bound };
    return { kind: "put" as const, lease: { ...lease, duid: octets("00:03:00:01:02:00"), until: 5000 } };
  });
  store.commit({ writes: [], writes6, events: [], notes: [], clock: undefined });
  store.close();
  const history = new History(path);
  t.after(() => history.close());
  const config = configOf(TOML);
  const page = (cursor?: string) =>
    listLeases({ subnet: "fd77::/64", limit: 3, ...(cursor ? { cursor } : {}) }, history.leases, config, {
      now: 1000,
      offset: 0,
    });
  const first = page();
  assert.equal(first.total, 4);
  const second = page(first.next_cursor ?? assert.fail());
  assert.equal(second.next_cursor, null);
  assert.deepEqual(
    [...first.items, ...second.items].map(({ ip }) => ip),
    leases.slice(0, 4).map((text) => text.replace("/128", "")),
  );
});
