import assert from "node:assert/strict";
import { test } from "node:test";
import { errorStatus, hostStatus, type Situation } from "@frontdesk/print-simulator/replies";
import type { Wait } from "../src/domain/backend.ts";
import type { Connection } from "../src/domain/connection.ts";
import { systemWait } from "../src/start-bridge.ts";
import { createAnsweredKinds } from "../src/zpl/answered-kinds.ts";
import { instrumentedFormat, isIdle, openStatusDialogue } from "../src/zpl/status-dialogue.ts";

const IDLE: Situation = {
  conditions: new Set(),
  labelLengthDots: 1245,
  formatsWaiting: 0,
  partialFormat: false,
  labelsRemaining: 0,
};

/** A printer that answers each question with what `answer` says. */
function answering(answer: () => string): Connection {
  let tell: (bytes: Uint8Array) => void = () => {};
  return {
    write: async () => tell(Buffer.from(answer(), "latin1")),
    end: async () => "closed",
    hasTakenAll: async () => true,
    progress: async () => "",
    destroy: () => {},
    broken: false,
    onData: (listen) => {
      tell = listen;
    },
    onEnd: () => {},
  };
}

test("questions about variables that firmware leaves unanswered are not kept: a later answer is that of the later question", async () => {
  let odometer = "";
  const connection = answering(() => `${odometer}${errorStatus(IDLE)}${hostStatus(IDLE)}`);
  const dialogue = openStatusDialogue(connection, { wait: systemWait, readMs: 20, rfid: false });
  for (let question = 0; question < 5; question++) {
    const { answered, odometer: told } = await dialogue.ask();
    assert.deepEqual([answered, told], [true, undefined]);
  }
  odometer = '"4711"';
  assert.equal((await dialogue.ask()).odometer, 4711);
});

test("of a printer that has two variables, one that comes late is not taken for the other", async () => {
  const answers = ['"4711"', '"57""4712""58"'];
  const connection = answering(() => `${answers.shift()}${errorStatus(IDLE)}${hostStatus(IDLE)}`);
  const dialogue = openStatusDialogue(connection, { wait: systemWait, readMs: 20, rfid: true });
  // One answer to two questions may be that of either.
  const first = await dialogue.ask();
  assert.deepEqual([first.odometer, first.voids], [undefined, undefined]);
  const second = await dialogue.ask();
  assert.deepEqual([second.odometer, second.voids], [4712, 58]);
});

test("a counter that comes late once is waited for again, and one that never comes is not", async () => {
  let tell: (bytes: Uint8Array) => void = () => {};
  let writes = 0;
  const said = `${errorStatus(IDLE)}${hostStatus(IDLE)}`;
  const late: Connection = {
    ...answering(() => ""),
    write: async () => {
      writes++;
      tell(Buffer.from(writes === 1 ? said : `${said}"${4000 + writes}"`, "latin1"));
    },
    onData: (listen) => {
      tell = listen;
    },
  };
  const waits: boolean[] = [];
  const wait: Wait = async (_milliseconds, signal) => void waits.push(signal?.aborted === true);
  const dialogue = openStatusDialogue(late, { wait, readMs: 20, rfid: false });
  assert.equal((await dialogue.ask()).odometer, undefined);
  tell(Buffer.from('"4001"'));
  assert.equal((await dialogue.ask()).odometer, 4002);
  assert.equal((await dialogue.ask()).odometer, 4003);

  const kinds = createAnsweredKinds();
  const without = () =>
    openStatusDialogue(
      answering(() => said),
      { wait, readMs: 20, rfid: false, kinds },
    );
  const first = without();
  for (let question = 0; question < 3; question++) await first.ask();
  waits.length = 0;
  await first.ask();
  await without().ask();
  assert.deepEqual(waits, [true, true], "no question waits for it any more, on this connection and the next");
});

test("an answer that leaves out what waits to be printed is not that of an idle printer, where the firmware can tell", async () => {
  const answers = [`${errorStatus(IDLE)}${hostStatus(IDLE)}`, errorStatus(IDLE)];
  const dialogue = openStatusDialogue(
    answering(() => answers.shift() ?? errorStatus(IDLE)),
    { wait: async () => {}, readMs: 20, rfid: false },
  );
  assert.equal(isIdle(await dialogue.ask()), true);
  for (let question = 0; question < 5; question++) assert.equal(isIdle(await dialogue.ask()), false);
});

test("the read-back of a tag is a field of its own, also where the last field has no end", () => {
  const format = instrumentedFormat("^XA^RFW,H^FD3034^XZ", { key: "7", tries: undefined });
  assert.match(format, /^\^XA\^RFW,H\^FD3034\^FS\^FN9001\^RFR,H\^FS\^FH_\^HV9001,64,FDEPC7\[,\]/);
});
