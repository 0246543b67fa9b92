import assert from "node:assert/strict";
import { test } from "node:test";
import { type Commands, command, linesOf, NotDone, runCommandLine } from "@frontdesk/kit/command-line";
import { DomainError } from "@frontdesk/kit/domain-error";

const commands: Commands<{ greeting: string }> = {
  greet: command(
    "<name> [--loud <how>]",
    "greets",
    async ({ greeting }, [name], { loud }) => `${greeting} ${name}${loud ?? ""}`,
  ),
  leave: command(
    "<name> [--quietly] [--no-note] [--by <door>]",
    "leaves",
    async (_tools, [name], options, flags) => [name, options.by ?? "-", ...[...flags].sort()].join(" "),
  ),
  "guest list": command("", "lists", async () => [
    { name: "anna", rooms: ["1", "2"], left: null },
    { name: "bert", rooms: [], left: "today" },
  ]),
  "guest refuse": command("", "refuses", async () => {
    throw new DomainError("no_room", "There is no room.");
  }),
  "guest close": command("", "is closed", async () => {
    throw new Closed("The desk is closed.");
  }),
  "guest move": command("", "moves", async () => {
    throw new NotDone([{ name: "anna", moved: false }]);
  }),
  "guest break": command("", "breaks", async () => {
    throw new Error("a fault of ours");
  }),
};

class Closed extends Error {}

async function run(...words: string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runCommandLine(
    {
      program: "desk",
      commands,
      withTools: (work) => work({ greeting: "Hello" }),
      isRefusal: (error) => error instanceof Closed,
      print: (line) => out.push(line),
      complain: (line) => err.push(line),
    },
    words,
  );
  return { code, out, err: err.join("\n") };
}

test("a command gets its words and options, and what it tells is printed", async () => {
  assert.deepEqual(await run("greet", "anna", "--loud", "!"), { code: 0, out: ["Hello anna!"], err: "" });
});

test("a list is values between tabs for people, and JSON for programs", async () => {
  assert.deepEqual((await run("guest", "list")).out, ["anna\t1,2\t-", "bert\t\ttoday"]);
  const [json = ""] = (await run("guest", "list", "--json")).out;
  assert.deepEqual(JSON.parse(json)[0], { name: "anna", rooms: ["1", "2"], left: null });
});

test("an option without a value is a flag: given or not", async () => {
  assert.deepEqual((await run("leave", "anna")).out, ["anna -"]);
  assert.deepEqual((await run("leave", "--no-note", "anna", "--by", "back", "--quietly")).out, [
    "anna back no-note quietly",
  ]);
});

test("at a terminal a list is a table with a head", () => {
  const rows = [
    { name: "anna", rooms: ["1", "2"], left: null },
    { name: "bertram", rooms: [], left: undefined },
  ];
  assert.deepEqual(linesOf(rows, false, true), [
    "name     rooms  left",
    "anna     1,2    -",
    "bertram  -      -",
  ]);
  assert.deepEqual(linesOf([], false, true), []);
  const many = Array.from({ length: 200_000 }, () => ({ name: "one" }));
  assert.equal(linesOf(many, false, true).length, 200_001);
});

test("what could not be done is told like anything else, with exit code 1", async () => {
  assert.deepEqual(await run("guest", "move"), { code: 1, out: ["anna\tfalse"], err: "" });
});

test("a command says how it is used", async () => {
  const { code, out } = await run("greet", "--help");
  assert.deepEqual([code, out], [0, ["Usage: desk greet <name> [--loud <how>]\ngreets"]]);
});

test("what is wrong is told in a sentence, with exit code 1", async () => {
  const wrong: Array<[words: string[], sentence: RegExp]> = [
    [["dance"], /^"dance" is not a command of desk\.\ndesk <command> \[--json\]/],
    [["constructor"], /^"constructor" is not a command of desk\./],
    [["guest", "toString"], /^"guest toString" is not a command/],
    [["greet"], /^Usage: desk greet <name> \[--loud <how>\]$/],
    [["greet", "a", "b"], /^Usage:/],
    [["greet", "a", "--quiet", "x"], /--quiet/],
    [["guest", "refuse"], /^There is no room\.$/],
    [["guest", "close"], /^The desk is closed\.$/],
    [["leave", "anna", "--quietly=yes"], /--quietly/],
  ];
  for (const [words, sentence] of wrong) {
    const { code, out, err } = await run(...words);
    assert.deepEqual([code, out], [1, []], words.join(" "));
    assert.match(err, sentence);
  }
  await assert.rejects(run("guest", "break"), /a fault of ours/);
});

test("without a command, and when asked, it says what there is", async () => {
  for (const words of [[], ["help"], ["--help"], ["-h"]]) {
    const { code, out } = await run(...words);
    assert.equal(code, 0);
    assert.match(out.join("\n"), /^desk <command> \[--json\]\n\n {2}greet <name> \[--loud <how>\] +greets\n/);
  }
});

test("what would drive a terminal or forge a row is shown by its number", () => {
  const rows = [{ name: "\u001b[2J\u0007a\tb\nc\u202ed", role: "member" }];
  const name = "\\u001b[2J\\u0007a\\u0009b\\u000ac\\u202ed";
  assert.deepEqual(linesOf(rows), [`${name}\tmember`]);
  assert.deepEqual(linesOf(rows, false, true)[1], `${name}  member`);
});
