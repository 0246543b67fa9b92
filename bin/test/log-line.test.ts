import assert from "node:assert/strict";
import { test } from "node:test";
import { readableLogLine } from "../log-line.js";

const ESCAPE = "\u001b]0;owned\u0007";
/** What a terminal obeys, but for the line ends that the launcher itself writes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const DRIVES_A_TERMINAL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

const lineOf = (entry: object) =>
  readableLogLine("print", JSON.stringify({ level: 40, time: 0, pid: 1, service: "print", ...entry }));

test("a log line is time, service, level, words and details", () => {
  const line = lineOf({ msg: "printer refused", printer: "dock", tries: 3 });
  assert.match(line, /^\d\d:\d\d:\d\d print {2}warn {2}printer refused printer=dock tries=3$/);
});

test("what others sent does not drive the terminal, nor begin a line of its own", () => {
  const hostile = `${ESCAPE}\n12:00:00 lease  info  all is well \u202e\u009b2J`;
  for (const entry of [{ msg: hostile }, { msg: "refused", answer: hostile }, { msg: "x", all: [hostile] }]) {
    const line = lineOf(entry);
    assert.doesNotMatch(line, DRIVES_A_TERMINAL);
    assert.equal(line.split("\n").length, 1, line);
  }
  for (const line of [hostile.replace("\n", ""), JSON.stringify(hostile)])
    assert.doesNotMatch(readableLogLine("print", line), DRIVES_A_TERMINAL);
});

test("an error is told below its line, set in, whatever its message holds", () => {
  const err = { stack: `Error: ${ESCAPE}\n12:00:00 lease  info  all is well\n    at send (link.ts:3:1)` };
  const [first, ...below] = lineOf({ msg: "printer refused", err }).split("\n");
  assert.match(first ?? "", /printer refused$/);
  assert.deepEqual(below, [
    "  Error: \\u001b]0;owned\\u0007",
    "  12:00:00 lease  info  all is well",
    "      at send (link.ts:3:1)",
  ]);
});

test("what is no log line passes with the name of its service", () => {
  assert.equal(readableLogLine("print", "plain words"), "print  plain words");
  assert.equal(readableLogLine("print", '{"a":1}'), 'print  {"a":1}');
});
