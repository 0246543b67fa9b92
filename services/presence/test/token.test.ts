import assert from "node:assert/strict";
import { test } from "node:test";
import { hashToken, isToken, mintToken } from "../src/domain/token.ts";

test("a token is a prefix, 32 random characters and a check", () => {
  const token = mintToken(() => new Uint8Array(32).fill(10));
  assert.match(token, /^fdp_A{32}[0-9A-Za-z]{6}$/);
  assert.ok(isToken(token));
  assert.notEqual(mintToken(), mintToken());
});

test("bytes that would favour some characters are not used", () => {
  const answers = [new Uint8Array(32).fill(255), new Uint8Array(32).fill(61)];
  assert.match(
    mintToken(() => answers.shift() as Uint8Array),
    /^fdp_z{32}/,
  );
});

test("every single mistyped or swapped character is noticed without a look-up", () => {
  const token = mintToken();
  for (let i = 4; i < token.length; i++) {
    const other = token[i] === "a" ? "b" : "a";
    assert.ok(!isToken(token.slice(0, i) + other + token.slice(i + 1)), `at ${i}`);
    const swapped = token.slice(0, i - 1) + token[i] + token[i - 1] + token.slice(i + 1);
    if (i > 4 && swapped !== token) assert.ok(!isToken(swapped), `swapped at ${i}`);
  }
  for (const wrong of [
    "",
    "fdp_",
    token.slice(1),
    `${token}x`,
    token.toLowerCase(),
    `ghp_${token.slice(4)}`,
  ]) {
    assert.ok(!isToken(wrong), wrong);
  }
});

test("what is stored does not contain the token", () => {
  const token = mintToken();
  assert.match(hashToken(token), /^[0-9a-f]{64}$/);
});
