import assert from "node:assert/strict";
import { test } from "node:test";
import { wordsFor } from "../src/domain/typed-confirmation.ts";

const SUBNET = { subnet: [{ network: "10.0.0.0/24" }] };
const SERVED = { ...SUBNET, server: { interfaces: ["eth0"] } };
const LAB = { ...SUBNET, server: { listen: ["127.0.0.1:6767"] } };

test("words are asked for only when the last subnet or the last interface goes", () => {
  assert.equal(wordsFor(SERVED, SERVED), undefined);
  assert.equal(wordsFor(SERVED, { server: SERVED.server }), "leave no subnet");
  assert.equal(wordsFor(SERVED, LAB), "leave no interface");
  assert.equal(wordsFor(LAB, SERVED), undefined);
  assert.equal(wordsFor({ server: LAB.server }, { server: LAB.server }), undefined, "there was none before");
});
