import assert from "node:assert/strict";
import { test } from "node:test";
import { ROLES } from "../src/domain/role.ts";
import { ROLE_TABLE } from "../src/http/role-table.ts";
import { managerDesk } from "./manager-desk.ts";

/** What each role may do, said once more by hand: a row that is changed in the table by mistake is seen here. */
const OPERATOR = [
  "DELETE /api/v1/leases",
  "DELETE /api/v1/leases/:ip",
  "DELETE /api/v1/reservations/:ip",
  "DELETE /api/v1/rollout",
  "GET /api/v1/releasable-leases",
  "PATCH /api/v1/leases/:ip",
  "POST /api/v1/leases/:ip/force-renew",
  "POST /api/v1/leases/:ip/reserve",
  "POST /api/v1/reservations",
  "POST /api/v1/reservations/import",
  "POST /api/v1/reservations/preview",
  "POST /api/v1/rollout",
  "PUT /api/v1/reservations/:ip",
];
const VIEWER_WRITES = ["POST /api/v1/explain", "PUT /api/v1/auth/password"];

test("every route against nobody, each role, a token of each role, and another origin", async (t) => {
  const desk = await managerDesk(t);
  const admin = await desk.signedIn();
  const callers = new Map<string, Record<string, string>>();
  for (const role of ROLES) {
    const password = `the password of ${role}`;
    await admin("POST", "users", { body: { username: `a-${role}`, password, role } });
    callers.set(role, { cookie: (await desk.signedIn(`a-${role}`, password)).cookie });
    const { token } = (await admin("POST", "tokens", { body: { name: role, role } })).json;
    callers.set(`token of ${role}`, { authorization: `Bearer ${token}` });
  }
  // Nothing is found and nothing fits: only who may ask is looked at, and nothing happens.
  const send = (route: string, headers: Record<string, string>) => {
    const [method = "", path = ""] = route.split(" ");
    return desk.call(method, path.replace(/:\w+/g, "~nothing~"), {
      headers: { ...headers, "content-type": "application/nonsense" },
    });
  };
  const guarded = Object.keys(ROLE_TABLE).filter((route) => ROLE_TABLE[route] !== "anyone");
  assert.ok(guarded.length > 50);
  for (const route of guarded) {
    // Whoever may, does something, or listens for good: it is asked by those who may not, and by others.
    const isHarmless = !/\/engine\/(start|stop|restart)|take-back|\/ha\/maintenance|\/stream$/.test(route);
    const [method] = route.split(" ");
    const needed = ROLE_TABLE[route];
    assert.equal((await send(route, {})).status, 401, `${route} for nobody`);
    for (const [who, headers] of callers) {
      const role = who.replace("token of ", "");
      const may = ROLES.indexOf(role as "admin") >= ROLES.indexOf(needed as "admin");
      if (may && !isHarmless) continue;
      const { status, text } = await send(route, headers);
      assert.equal(status === 403, !may, `${route} for ${who}: ${status} ${text}`);
    }
    if (method === "GET") continue;
    const other = await send(route, { ...callers.get("admin"), origin: "https://evil.example" });
    assert.equal(other.json.code, "cross_origin", route);
  }
  const ofRole = (role: string) => Object.keys(ROLE_TABLE).filter((route) => ROLE_TABLE[route] === role);
  assert.deepEqual(ofRole("operator").toSorted(), OPERATOR.toSorted());
  assert.deepEqual(
    ofRole("viewer")
      .filter((route) => !route.startsWith("GET "))
      .toSorted(),
    VIEWER_WRITES.toSorted(),
  );
});
