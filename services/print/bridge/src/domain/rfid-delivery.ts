import { type ZplFormat, zplFormats } from "../languages/zpl-formats.ts";
import type { Ending, Parcel, Progress } from "./courier.ts";
import type { LabelResult } from "./job.ts";
import {
  type Conversation,
  instrumentedFormat,
  isIdle,
  LineBroken,
  type Snapshot,
} from "./zpl-conversation.ts";

export interface RfidDelivery {
  readonly conversation: Conversation;
  readonly parcel: Parcel;
  readonly tell: (progress: Progress) => void;
  readonly ask: (conversation: Conversation) => Promise<Snapshot>;
  readonly pause: (milliseconds: number) => Promise<void>;
  readonly voidLimit: number;
  readonly pollMs: number;
}

const FIRST_POLL_MS = 5;
const SETTLED = 4;

/**
 * Labels with tags go one format at a time: each is read back before the next leaves, so that a bad
 * roll costs no more labels than the void limit.
 */
export async function deliverTags(work: RfidDelivery): Promise<Ending> {
  const { parcel } = work;
  const text = Buffer.from(parcel.data).toString("latin1");
  const formats = zplFormats(text);
  const tags: LabelResult[] = [];
  const tally = () => ({
    asked: parcel.labels,
    printed: tags.filter(({ printed }) => printed).length,
    tags: [...tags],
  });
  const end = (state: Ending["state"], error?: Ending["error"]): Ending => ({
    state,
    verification: "rfid",
    tally: tally(),
    ...(error ? { error } : {}),
  });
  let index = 0;
  try {
    for (let copy = 0; copy < parcel.copies; copy++) {
      let at = 0;
      for (const [n, format] of formats.entries()) {
        const last = n === formats.length - 1;
        const before = text.slice(at, format.start);
        const after = last ? text.slice(format.end) : "";
        at = format.end;
        const problem = await oneFormat(work, format, { before, text, after }, tags, index, tally);
        if (problem) return end("Failed", problem);
        index += format.labels;
      }
    }
  } catch (error) {
    if (error instanceof LineBroken)
      return { ...end("Unknown"), verification: tags.length > 0 ? "rfid" : "none" };
    throw error;
  }
  const wrong = tags.find((tag) => tag.printed && !tag.encoded && tag.epc !== "");
  if (!wrong) return end("Done");
  return end("Failed", {
    code: "RFID_MISMATCH",
    message: `Label ${wrong.index} reads back as ${wrong.epc}.`,
  });
}

async function oneFormat(
  work: RfidDelivery,
  format: ZplFormat,
  pieces: { before: string; text: string; after: string },
  tags: LabelResult[],
  index: number,
  tally: () => Progress["tally"],
): Promise<Ending["error"] | undefined> {
  const { conversation, voidLimit } = work;
  const source = pieces.text.slice(format.start, format.end);
  const voidsSoFar = tags.filter(({ voided }) => voided).length;
  const sent = format.encodesTag
    ? instrumentedFormat(source, { tries: format.setsTries ? undefined : voidLimit - voidsSoFar + 1 })
    : source;
  const start = await work.ask(conversation);
  conversation.takeTags();
  await conversation.write(Buffer.from(pieces.before + sent + pieces.after, "latin1"));
  if (format.labels === 0) return undefined;

  let interval = FIRST_POLL_MS;
  let good = 0;
  let voided = 0;
  let settled = 0;
  let seen = "";
  for (;;) {
    // The answer counts every void that came before what had been read back when it was asked.
    const readBack = conversation.takeTags();
    const snapshot = await work.ask(conversation);
    const voidsNow = Math.max(voided, (snapshot.voids ?? 0) - (start.voids ?? 0));
    for (; voided < voidsNow; voided++) {
      tags.push({ index: index + good, printed: false, encoded: false, voided: true, epc: "" });
    }
    for (const epc of readBack) {
      tags.push({
        index: index + good,
        printed: true,
        encoded: matches(epc, format.epc),
        voided: false,
        epc,
      });
      good++;
    }
    settled = isIdle(snapshot) ? settled + 1 : 0;
    if (
      !format.encodesTag &&
      settled > 0 &&
      (snapshot.odometer ?? 0) - (start.odometer ?? 0) >= format.labels
    ) {
      for (; good < format.labels; good++) {
        tags.push({ index: index + good, printed: true, encoded: false, voided: false, epc: "" });
      }
    }
    if (voidsSoFar + voided > voidLimit) {
      return {
        code: "RFID_VOID_LIMIT",
        message: `More than ${voidLimit} labels were voided; the rest was not sent.`,
      };
    }
    if (good >= format.labels) return undefined;
    if (settled >= SETTLED) {
      return { code: "LABELS_MISSING", message: "The printer is idle and did not read back every tag." };
    }
    const state = snapshot.reasons.length > 0 ? "Held" : "Printing";
    const mark = `${state} ${tags.length} ${snapshot.reasons}`;
    if (mark !== seen) work.tell({ state, tally: tally(), reasons: snapshot.reasons });
    seen = mark;
    await work.pause(interval);
    interval = Math.min(work.pollMs, interval * 2);
  }
}

/** A tag is longer than what was written to it: the rest of it is zeros. */
function matches(epc: string, asked: string | undefined): boolean {
  if (asked === undefined) return epc !== "";
  return epc.startsWith(asked) && /^0*$/.test(epc.slice(asked.length));
}
